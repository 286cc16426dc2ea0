// Tests which modules a gateway loads before it listens, and which modules it loads only when a request needs
// them.
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { projectDirectory } from '../../local/tools/folders.ts'

/** Returns the files and packages that a file loads, directly or indirectly, without dynamic imports and types. */
function listLoadedModules(file: string, loaded = new Set<string>()): Set<string> {
  if (loaded.has(file)) return loaded
  loaded.add(file)
  const text = readFileSync(join(projectDirectory, file), 'utf8').replace(/^\s*\/\/.*$/gm, '')
  for (const [, names = '', path = ''] of text.matchAll(/^(?:import|export) ([^;'"]*?)\s*from '([^']+)'/gm)) {
    const areTypes = names.startsWith('type ') || /^\{(\s*type [^,}]+,?)+\s*\}$/.test(names)
    if (areTypes) continue
    if (path.startsWith('.')) listLoadedModules(join(dirname(file), path), loaded)
    else loaded.add(path)
  }
  return loaded
}

describe('the modules of a gateway', () => {
  const loaded = [...listLoadedModules('gateway/gateway.ts')]

  it('include only the core when the gateway starts', () => {
    expect(loaded).to.include('gateway/api/rest/users/users-routes.ts')
    // The list lacks `bullmq`, because `shared/runtime/queues.ts` loads only one class of that package.
    const packages = loaded.filter((name) => !/\.ts$|^node:/.test(name))
    expect(packages).to.have.members([
      'koa',
      '@koa/router',
      'ioredis',
      'pg',
      'pg-cursor',
      'pino',
      'prom-client',
      'scim2-parse-filter',
      'yup',
    ])
  })

  it('are loaded on demand if they handle pages, request bodies or writes, render API documents, or answer agents', () => {
    const ofPages = loaded.filter((file) => /^gateway\/web\//.test(file))
    // Modules that redirect to pages, create the first administrator, and compress responses.
    expect(ofPages).to.have.members([
      'gateway/web/admin/account/setup-links.ts',
      'gateway/web/sessions/addresses.ts',
      'gateway/web/pages/page/security-headers.ts',
      'gateway/web/pages/page/redirect-browsers.ts',
      'gateway/web/sessions/secrets.ts',
    ])
    const isForFewRequests = /^knex|^gateway\/api\/(?:openapi\/(?:document|pages|postman)|mcp\/(?!mcp-route))/
    expect(loaded.filter((name) => isForFewRequests.test(name))).to.deep.equal([])
  })
})
