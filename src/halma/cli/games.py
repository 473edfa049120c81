"""`halma games`: list the games."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from halma.cli.verb import JsonFlag, print_json

if TYPE_CHECKING:
    from halma.games import Family
    from halma.names import Option


def games(json: JsonFlag = False) -> None:
    """List the games: variants, options and rule presets."""
    from halma.games import families

    described = [_describe(family) for family in families()]
    if json:
        print_json({"families": described})
    else:
        _print_tables(described)


def _describe(family: Family) -> dict[str, Any]:
    from halma.games import game

    variants = []
    for name, about in family.variants.items():
        variant = game(name)
        variants.append(
            {
                "name": name,
                "about": about,
                "players": variant.players,
                "actions": variant.actions,
                "planes": list(variant.shape),
                "state_bytes": variant.core.state_size,
            }
        )
    return {
        "title": family.title,
        "pattern": family.pattern,
        "variants": variants,
        "options": [_describe_option(option) for option in family.options],
        "presets": {name: dict(values) for name, values in family.presets.items()},
    }


def _describe_option(option: Option) -> dict[str, Any]:
    allowed: dict[str, Any] = (
        {"choices": list(option.choices)}
        if option.choices
        else {"low": option.low, "high": option.high}
    )
    return {"key": option.key, "default": option.default, "help": option.help, **allowed}


def _print_tables(described: list[dict[str, Any]]) -> None:
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    console = Console(highlight=False)
    for family in described:
        table = Table(
            title=escape(family["title"]),
            caption=escape(family["pattern"]),
            title_justify="left",
            caption_justify="left",
        )
        for heading in ("variant", "players", "actions", "planes", "about"):
            table.add_column(heading, justify="right" if heading in _NUMBERS else "left")
        for variant in family["variants"]:
            table.add_row(
                variant["name"],
                str(variant["players"]),
                str(variant["actions"]),
                " x ".join(map(str, variant["planes"])),
                escape(variant["about"]),
            )
        console.print(table)
        for option in family["options"]:
            allowed = option.get("choices") or [f"{option['low']} to {option['high']}"]
            console.print(
                f"  {option['key']}={'|'.join(allowed)}  {option['help']} ({option['default']})",
                markup=False,
            )
        defaults = {option["key"]: option["default"] for option in family["options"]}
        for name, values in family["presets"].items():
            changed = {key: value for key, value in values.items() if value != defaults[key]}
            settings = ",".join(f"{key}={value}" for key, value in changed.items())
            console.print(f"  rules={name}  {settings or 'the defaults'}", markup=False)
        console.print()


_NUMBERS = ("players", "actions")
