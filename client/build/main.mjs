// Builds the client package: generates the types and methods from the OpenAPI document in the `dist/` folder of Berth,
// which must be built already, then compiles. `--check` only checks the types.
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { createOpenApiDocument } from '../../dist/gateway/api/openapi/document.js'
import { nameMethods } from '../../dist/gateway/api/openapi/method-names.js'
import { listOperations } from '../../dist/gateway/api/openapi/samples.js'
import { extractSharedParts } from '../../dist/gateway/api/openapi/shared-parts.js'
import { endpoints } from '../../dist/gateway/app.js'
import openApiTypes from './openapi-types.cjs'
import { describeResources, writeResources, writeSamples } from './resources.mjs'

const root = join(import.meta.dirname, '..')
const isCheck = process.argv.includes('--check')

await generate()
process.exitCode = compile()

async function generate() {
  const complete = createOpenApiDocument(endpoints, 'https://desk.example.com')
  const document = extractSharedParts(complete)
  const methods = nameMethods(listOperations(complete).map(({ operation }) => operation))
  const { resources, schemas } = describeResources(document, methods)
  const named = { openapi: '3.1.0', info: document.info, paths: {}, components: { schemas } }
  const folder = join(root, 'src/generated')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'schemas.ts'), await openApiTypes.writeSchemaTypes(named))
  writeFileSync(join(folder, 'resources.ts'), writeResources(resources, Object.keys(schemas)))
  writeFileSync(join(folder, 'samples.ts'), writeSamples(complete))
}

function compile() {
  const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc')
  if (!isCheck) rmSync(join(root, 'dist'), { recursive: true, force: true })
  const { status } = spawnSync(process.execPath, [compiler, '-p', root, ...(isCheck ? ['--noEmit'] : [])], {
    stdio: 'inherit',
  })
  const program = join(root, 'dist/cli/main.js')
  if (existsSync(program)) chmodSync(program, 0o755)
  return status ?? 1
}
