def truth() -> None:
    """x"""
