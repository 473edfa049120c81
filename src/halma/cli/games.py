"""`halma games`: list the games."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from halma.cli.verb import JsonFlag, print_answer

if TYPE_CHECKING:
    from halma.games import Family


def games(json: JsonFlag = False) -> None:
    """List the games: variants, options and rule presets."""
    from halma.games import families

    described = [_describe(family) for family in families()]
    print_answer(json, {"families": described}, lambda: _print(described))


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
        "options": [option.as_dict() for option in family.options],
        "presets": {name: dict(values) for name, values in family.presets.items()},
    }


def _print(families: list[dict[str, Any]]) -> None:
    for family in families:
        print(f"{family['title']}: {family['pattern']}\n")
        width = max((len(variant["name"]) for variant in family["variants"]), default=0)
        for variant in family["variants"]:
            planes = "x".join(map(str, variant["planes"]))
            sizes = (
                f"{variant['players']} players {variant['actions']:>5} actions {planes:>8} planes"
            )
            print(f"  {variant['name']:<{width}}  {sizes}  {variant['about']}")
        print()
        for option in family["options"]:
            allowed = option.get("choices") or ["text"]
            if "low" in option:
                allowed = [f"{option['low']:g} to {option['high']:g}"]
            print(f"  {option['key']}={'|'.join(allowed)}  {option['help']} ({option['default']})")
        defaults = {option["key"]: option["default"] for option in family["options"]}
        for name, values in family["presets"].items():
            changed = {key: value for key, value in values.items() if value != defaults[key]}
            settings = ",".join(f"{key}={value}" for key, value in changed.items())
            print(f"  rules={name}  {settings or 'the defaults'}")
        print()
