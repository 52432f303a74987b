#!/usr/bin/env node
import module from 'node:module';
import process from 'node:process';

module.enableCompileCache?.();
const { main } = await import('../dist/program/main.js');
process.exitCode = await main(process);
