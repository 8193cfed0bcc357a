// Runs a program for WASI in the current folder: node wasi.mjs PROGRAM.wasm ARGUMENTS
import { readFile } from 'node:fs/promises';
import { argv, cwd, env, exit } from 'node:process';
import { WASI } from 'node:wasi';

const [program, ...rest] = argv.slice(2);
// The current folder is the root of the program's file system, because Rust makes paths absolute.
const preopens = { '/': cwd() };
const wasi = new WASI({ version: 'preview1', args: ['talweg', ...rest], env, preopens, returnOnExit: true });
const module = await WebAssembly.compile(await readFile(program));
const instance = await WebAssembly.instantiate(module, wasi.getImportObject());
exit(wasi.start(instance));
