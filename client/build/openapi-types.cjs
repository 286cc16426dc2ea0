// Writes the types of an OpenAPI document: node openapi-types.cjs openapi.json types.ts. openapi-typescript needs the
// compiler API, which TypeScript 7 no longer has, so it gets the TypeScript that @ts-morph/common bundles. A second
// `typescript` package would install a second `tsc`.
const { readFileSync, writeFileSync } = require('node:fs')
const Module = require('node:module')

const { ts } = require('@ts-morph/common')
const load = Module._load
Module._load = (name, ...rest) => (name === 'typescript' ? ts : load(name, ...rest))
const { default: createTypes, astToString } = require('openapi-typescript')

const INPUT = /^#\/components\/schemas\/\w+(Body|Query)\b/

/** Writes the types of the document's schemas by name. Times that are sent may be a Date, and files are blobs. */
async function writeSchemaTypes(document) {
  const { factory, SyntaxKind } = ts
  const named = (name) => factory.createTypeReferenceNode(name)
  const transform = ({ type, format }, { path = '' }) => {
    if (format === 'binary') return named('Blob')
    if (format !== 'date-time' || !INPUT.test(path)) return undefined
    const nothing = [type].flat().includes('null')
      ? [factory.createLiteralTypeNode(factory.createNull())]
      : []
    const text = factory.createKeywordTypeNode(SyntaxKind.StringKeyword)
    return factory.createUnionTypeNode([text, named('Date'), ...nothing])
  }
  const options = { transform, rootTypes: true, rootTypesNoSchemaPrefix: true, defaultNonNullable: false }
  return astToString(await createTypes(document, options))
}

module.exports = { writeSchemaTypes }

if (require.main === module) {
  const [source, target] = process.argv.slice(2)
  createTypes(JSON.parse(readFileSync(source, 'utf8'))).then((types) =>
    writeFileSync(target, astToString(types)),
  )
}
