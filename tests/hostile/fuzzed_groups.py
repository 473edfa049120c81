"""All targets of the fuzzer, in groups that take about as long."""

from hostile.fuzzed_commands import command_targets
from hostile.fuzzed_games import VARIANTS, file_targets, move_target, position_target
from hostile.fuzzed_names import name_targets
from hostile.fuzzed_protocols import protocol_targets

#: groups of positions, which are read the fastest
PARTS = 10
#: each takes the folder of the sandbox
GROUPS = {
    "names": name_targets,
    "commands": command_targets,
    "files": file_targets,
    "protocols": protocol_targets,
    "moves": lambda folder: [move_target(variant) for variant in VARIANTS],
    **{
        f"positions {part}": lambda folder, part=part: [
            position_target(variant) for variant in VARIANTS[part::PARTS]
        ]
        for part in range(PARTS)
    },
}
