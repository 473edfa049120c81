"""A quick command of every verb, and of every benchmark."""

#: The files that the commands find, made by these commands in an empty folder.
PREPARATION = (
    "match random greedy --game ewn-3x3-3 --games 2 --workers 1 --db games.db",
    "train hsueh2023/ewn-3x3-3 --out run --iterations 1 --threads 1 "
    "--set selfplay.games=4 --set truth.games=2 --set search.simulations=4",
    "solve ewn-3x3-3",
    "train quick --out net --iterations 1 --threads 1 --set game=rhombus-3x3-1 "
    "--set network=hsueh2023:filters=2 --set selfplay.games=2 --set warm_start.games=0 "
    "--set evaluation.every=0",
)

#: Commands by verb. Each can be repeated, and prints a result.
QUICK = {
    "games": "games",
    "show": "show ewn-3x3-3",
    "perft": "perft ewn-3x3-3 1 --divide",
    "check": "check ewn-3x3-3 --games 1",
    "play": "play random greedy --game ewn-3x3-3 --seed 1",
    "analyse": "analyse ewn-3x3-3 start --roll 123 --roll 123",
    "match": "match random greedy --game ewn-3x3-3 --games 2 --workers 1",
    "tournament": "tournament random greedy --game ewn-3x3-3 --games 2 --workers 1",
    "openings": "openings draughts-8x8 --plies 2 --depth 1",
    "engine": "engine",
    "replay": "replay games.db 1",
    "convert": "convert games.db",
    "calibrate": "calibrate draughts-8x8 --games 2 --depth 1",
    "fit": "fit draughts-8x8 --out own.safetensors --rounds 1 --games 4 --nodes 20",
    "solve": "solve ewn-3x3-3",
    "truth": "truth ewn-3x3-3 --sample 10 --games 2 --agents random --workers 1",
    "train": "train run --threads 1",
    "tune": "tune hsueh2023/ewn-3x3-3 --metric wr_p --out tuned --trials 1 --iterations 1 "
    "--workers 1 --set selfplay.games=4 --set truth.games=2 --set search.simulations=4",
    "report": "report run",
    "export": "export net --out net.onnx --force",
    "reproduce": "reproduce he2016 fig3 --draw",
    "bench rules": "bench rules --quick",
    "bench search": "bench search --quick",
    "bench solve": "bench solve --quick",
    "bench tabular": "bench tabular --quick",
    "bench selfplay": "bench selfplay --quick",
    "bench training": "bench training --quick",
    "bench web": "bench web --quick",
}
#: Verbs that end when they are interrupted; tests/web has theirs.
ENDLESS = {"serve"}
#: Verbs that start a cluster, for a minute and more; tests/cluster has theirs.
WITH_CLUSTERS = {"bench cluster"}
#: Verbs that print nothing on standard output without --json.
WITHOUT_OUTPUT = {"train", "report", "engine"}
#: Verbs that have no --json: what they write is a protocol.
WITHOUT_JSON = {"engine"}
