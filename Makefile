# `make run` and `make test` are the two commands of the README; both set up what is missing first. The others are for
# work on Talweg itself, see CONTRIBUTING.md.

CARGO ?= cargo
TARGET := $(or $(CARGO_TARGET_DIR),target)
# tools/setup puts the tools there that are missing
LINT_PATH := PATH="$(TARGET)/tools/bin:$(TARGET)/tools/python/bin:$$PATH"
# a link may lead to a private item: those who work on Talweg read these pages, with --document-private-items if they like
DOC_LINTS := -D warnings -A rustdoc::private_intra_doc_links -A rustdoc::redundant_explicit_links

.PHONY: run quick test test-headless lint bench setup setup-test setup-lint

## Opens the editor. Without a display it renders an example scene and says where the pictures are.
run: setup
	@tools/run

## Opens the editor built for work: after a change only what it touched is built again.
quick:
	$(CARGO) run --release --config tools/quick.toml -- saves/alpine-range.ron

test test-headless: export TALWEG_TOOLS_INSTALLED := 1

## All tests of the library and of the program with its editor, on a virtual screen with a software Vulkan driver. Built
## with the checks of a debug build, on Bevy as it is released.
test: setup-test
	$(CARGO) test --release --config tools/checked.toml

# Named together, the packages take their dependencies with the same features: the wheel is linked from the library of
# the tests. The variable is maturin's, and would build PyO3 anew where it changes.
HEADLESS := PYO3_BUILD_EXTENSION_MODULE=1 $(CARGO) test --release --no-default-features --target-dir "$(TARGET)/headless" -p talweg -p talweg-app -p talweg-python

## What leaves the house without Bevy, as it is released: the heights of the library, the program without its editor, the
## Python package as a wheel.
test-headless: setup-test
	$(HEADLESS) --test core -- golden scenes
	$(HEADLESS) --test cli
	tools/wheel --test

## Formatting, spelling, licences and sources of packages, lints, documentation; warnings are errors.
lint: setup-lint
	$(CARGO) fmt --all --check
	$(CARGO) fmt --check --manifest-path fuzz/Cargo.toml
	$(LINT_PATH) typos
	$(LINT_PATH) $(CARGO) deny --locked --log-level error check licenses bans sources
	$(CARGO) clippy --release --all-targets -- -D warnings
	$(CARGO) clippy --release --no-default-features --all-targets --target-dir "$(TARGET)/headless" -- -D warnings
	$(CARGO) clippy --release -p talweg-python --target-dir "$(TARGET)/headless" -- -D warnings
	$(CARGO) clippy --release --manifest-path fuzz/Cargo.toml --all-targets --target-dir "$(TARGET)/headless" -- -D warnings
	RUSTDOCFLAGS="$(DOC_LINTS)" $(CARGO) doc --release --no-deps

## Cost per cell of every node, beside the peers that the package registry has.
bench:
	$(CARGO) bench
	tools/wheel --bench

setup:
	@tools/setup

setup-test:
	@tools/setup --test

setup-lint:
	@tools/setup --lint
