// Writes the types of an OpenAPI document: node generate.cjs openapi.json berth.ts. openapi-typescript works with the
// compiler's API, which TypeScript 7 no longer has: it gets that of the TypeScript which @ts-morph/common carries along,
// because a second package `typescript` would bring a second `tsc`.
const { readFileSync, writeFileSync } = require('node:fs')
const Module = require('node:module')

const load = Module._load
Module._load = (name, ...rest) =>
  name === 'typescript' ? require('@ts-morph/common').ts : load(name, ...rest)
const { default: createTypes, astToString } = require('openapi-typescript')

const [source, target] = process.argv.slice(2)
createTypes(JSON.parse(readFileSync(source, 'utf8'))).then((types) =>
  writeFileSync(target, astToString(types)),
)
