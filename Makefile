# The README describes `make run` and `make test`; both first install missing packages. CONTRIBUTING.md describes the other
# commands, which are for work on Talweg itself.

CARGO ?= cargo
TARGET := $(or $(CARGO_TARGET_DIR),target)
# tools/setup installs missing tools into this folder.
LINT_PATH := PATH="$(TARGET)/tools/bin:$(TARGET)/tools/python/bin:$$PATH"
# Links to private items are allowed, because developers can build these pages with --document-private-items.
DOC_LINTS := -D warnings -A rustdoc::private_intra_doc_links -A rustdoc::redundant_explicit_links

.PHONY: run quick test test-headless lint bench dist licences site setup setup-test setup-lint

## Opens the editor. Without a display it renders an example scene and prints the paths of the pictures.
run: setup
	@tools/run

## Opens the editor in a development build: after a change, only the affected parts are built again.
quick:
	$(CARGO) run --release --config tools/quick.toml -- saves/alpine-range.ron

test test-headless: export TALWEG_TOOLS_INSTALLED := 1

## Runs all tests of the library and of the program with its editor, on a virtual screen with a software Vulkan driver.
## The tests are built with the checks of a debug build, and with Bevy as in the release.
test: setup-test
	tools/in_memory $(CARGO) test --release --config tools/checked.toml

# Packages named in one cargo command share the features of their dependencies, so the wheel uses the library that the
# tests use. maturin sets PYO3_BUILD_EXTENSION_MODULE too; with another value, cargo would rebuild PyO3.
HEADLESS := env PYO3_BUILD_EXTENSION_MODULE=1 $(CARGO) test --release --no-default-features --target-dir "$(TARGET)/headless" -p talweg -p talweg-app -p talweg-python

## Tests everything that is released without Bevy, in its release build: the heights of the library, the program without
## its editor, and the Python package as a wheel.
test-headless: setup-test
	tools/in_memory $(HEADLESS) --test core -- golden scenes
	tools/in_memory $(HEADLESS) --test cli
	tools/in_memory tools/wheel --test

## Checks formatting, spelling, licences and sources of packages, workflows, lints and documentation; warnings are errors.
lint: setup-lint
	$(CARGO) fmt --all --check
	$(CARGO) fmt --check --manifest-path fuzz/Cargo.toml
	$(LINT_PATH) typos
	$(LINT_PATH) $(CARGO) deny --locked --log-level error check licenses bans sources
	tools/licences --check
	PYTHONPATH="$(TARGET)/tools/python" python3 -m check_jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
	$(CARGO) clippy --release --all-targets -- -D warnings
	$(CARGO) clippy --release --no-default-features --all-targets --target-dir "$(TARGET)/headless" -- -D warnings
	$(CARGO) clippy --release -p talweg-python --target-dir "$(TARGET)/headless" -- -D warnings
	$(CARGO) clippy --release --manifest-path fuzz/Cargo.toml --all-targets --target-dir "$(TARGET)/headless" -- -D warnings
	RUSTDOCFLAGS="$(DOC_LINTS)" $(CARGO) doc --release --no-deps

## Measures the cost per cell of every node, compared with other packages of the registry.
bench:
	$(CARGO) bench
	tools/wheel --bench

## Makes the packages of this system in dist/.
dist:
	tools/dist

## Collects the licences of all packages again, after a change of Cargo.lock.
licences:
	tools/licences

## Makes the website of the documents in target/site, and checks its links.
site:
	@tools/setup --site
	$(LINT_PATH) tools/site

setup:
	@tools/setup

setup-test:
	@tools/setup --test

setup-lint:
	@tools/setup --lint
