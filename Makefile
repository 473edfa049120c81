# Every target first creates .venv, installs the versions pinned in constraints.txt, and builds
# the core; it is built again when its sources change.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# The recipe of make run, and the games it then plays against each of two simple agents.
RECIPE := quick
GAME := rhombus-7x7-6
NETWORK := net:runs/$(RECIPE)/best.onnx
GAMES := 100

# Build tools are installed into .venv and used from there, so that they are pinned too and
# unchanged C++ files are not compiled again. The two variables pin the build requirements of
# dependencies, for older and newer versions of pip.
export PIP_CONSTRAINT := $(abspath constraints.txt)
export PIP_BUILD_CONSTRAINT := $(PIP_CONSTRAINT)
export PIP_DISABLE_PIP_VERSION_CHECK := 1
INSTALL := $(BIN)/pip install --quiet

CORE := CMakeLists.txt $(wildcard core/*.hpp core/*/*.hpp core/*/*.cpp)
SETTINGS := pyproject.toml constraints.txt
STUBS := src/halma/_core.pyi
# Tests that exercise the core.
SANITIZED := tests/games tests/agents tests/search tests/solve \
    tests/learn/test_tabular_trainer.py tests/selfplay/test_pool.py tests/selfplay/test_kept_evaluations.py \
    --ignore tests/agents/test_external.py \
    --deselect tests/search/test_mcts.py::test_agrees_with_expectiminimax

.PHONY: run play browser test test-long hostile lint format stubs bench clang sanitize clean

run: $(VENV)/.installed
	@echo "Training a network for Chinese Checkers, $(GAME): about three minutes on two cores."
	$(BIN)/halma train $(RECIPE)
	@echo
	@echo "The network plays $(GAMES) games against each of two simple agents."
	$(BIN)/halma tournament $(NETWORK) greedy random --game $(GAME) --games $(GAMES)
	@echo
	@echo "What next:"
	@echo "  open runs/$(RECIPE)/report.html in a browser"
	@echo "  $(BIN)/halma play human $(NETWORK) --game $(GAME)"
	@echo "  $(BIN)/halma train runs/$(RECIPE) --iterations 30    (continues the training)"
	@echo "  $(BIN)/halma play human net:$(GAME) --game $(GAME)    (a much stronger network)"
	@echo "  $(BIN)/halma train hsueh2023/ewn-3x3-3    (a small game to almost perfect play, in a minute)"

# Options of halma serve, such as PLAY="--port 9000 --no-browser".
PLAY :=

play: $(VENV)/.installed
	$(BIN)/halma serve $(PLAY)

# The page is tested in Debian's Chromium.
BROWSER_NAMES := chromium chromium-browser google-chrome

browser:
	@for name in $(BROWSER_NAMES); do command -v $$name > /dev/null && exit 0; done; \
	{ test "$$(id -u)" = 0 && apt-get update > /dev/null && \
	    apt-get install --quiet --yes chromium > /dev/null; } || \
	echo "Tests of the page are skipped: install Chromium, with 'apt-get install chromium'."

test: $(VENV)/.developing browser
	$(BIN)/pytest -n 2 -m "not slow and not hostile"

test-long: $(VENV)/.developing browser
	$(BIN)/pytest -n 2 -m "not hostile"

# Kills at failpoints, forged files, fuzzed text: docs/reliability.md.
HOSTILE := --hostile-seconds 60 --kills 1000

hostile: $(VENV)/.developing
	$(BIN)/pytest -n 2 tests/hostile tests/cluster $(HOSTILE)

lint: $(VENV)/.developing
	$(BIN)/ruff check src tests examples
	$(BIN)/ruff format --check src tests examples
	$(BIN)/clang-format --dry-run -Werror $(filter core/%,$(CORE)) $(wildcard tests/core/*.cpp)
	@mkdir -p build
	@$(BIN)/python -m nanobind.stubgen --quiet -m halma._core -o build/_core.pyi
	@diff -u $(STUBS) build/_core.pyi || { echo "$(STUBS) is out of date: run make stubs"; exit 1; }
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo --no-cache

format: $(VENV)/.developing
	$(BIN)/ruff check --fix src tests examples
	$(BIN)/ruff format src tests examples
	$(BIN)/clang-format -i $(filter core/%,$(CORE)) $(wildcard tests/core/*.cpp)

stubs: $(VENV)/.developing
	$(BIN)/python -m nanobind.stubgen --quiet -m halma._core -o $(STUBS)

bench: $(VENV)/.developing
	$(BIN)/halma bench rules

# Compiles the core with another compiler, without optimisation: is it portable?
CLANG ?= $(shell for name in clang++ clang++-19 clang++-18 clang++-17 clang++-16 clang++-15 clang++-14; do \
    command -v $$name && break; done)

clang: $(VENV)/.developing
	@test -n "$(CLANG)" || { echo "There is no clang++: install one, or name it: make clang CLANG=..."; exit 1; }
	$(BIN)/cmake -S . -B build/clang -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_COMPILER=$(CLANG) \
	    -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN))/ninja -DPython_EXECUTABLE=$(abspath $(BIN))/python \
	    -Dnanobind_DIR="$$($(BIN)/python -m nanobind --cmake_dir)"
	$(BIN)/cmake --build build/clang

# The package is installed with a sanitized core into a directory of its own. Python runs without
# site (-S), so that it is imported instead of the one in .venv, and with plain malloc, so that
# the sanitizer tracks every object. Two processes share the tests; they need -S too.
SANITIZED_PYTHON = env \
    LD_PRELOAD="$$($(CXX) -print-file-name=libasan.so) $$($(CXX) -print-file-name=libstdc++.so)" \
    ASAN_OPTIONS=detect_leaks=0 PYTHONMALLOC=malloc \
    PYTHONPATH="build/sanitize/package:$$($(BIN)/python -c 'import site; print(site.getsitepackages()[0])')" \
    $(BIN)/python -S

sanitize: $(VENV)/.developing
	$(INSTALL) --no-build-isolation --no-deps --upgrade --target build/sanitize/package \
	    --config-settings=cmake.define.HALMA_SANITIZE=ON \
	    --config-settings=build-dir=build/sanitize/objects .
	$(SANITIZED_PYTHON) -c "from halma import _core; assert 'sanitize' in _core.build()"
	$(SANITIZED_PYTHON) -m pytest -m "not slow and not hostile" -p no:cacheprovider \
	    --tx "2*popen//python=$(abspath $(BIN))/python -S" --dist load $(SANITIZED)

clean:
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.tools: constraints.txt | $(BIN)/python
	$(INSTALL) scikit-build-core nanobind cmake ninja
	@touch $@

$(VENV)/.installed: $(VENV)/.tools $(SETTINGS) $(CORE)
	$(INSTALL) --no-build-isolation --editable ".[train,web]"
	@touch $@

$(VENV)/.developing: $(VENV)/.tools $(SETTINGS) $(CORE)
	$(INSTALL) --no-build-isolation --editable ".[cluster,dev,envs,peers,reports,train,tune,web]"
	@touch $@ $(VENV)/.installed
