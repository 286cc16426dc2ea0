// What a gateway loads before it listens, and what it loads only when somebody needs it.
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { projectDirectory } from '../../local/tools/folders.ts'

/** What is loaded with a file: its own files and packages, and theirs. What is imported later, or as a type, is not. */
function loadedWith(file: string, loaded = new Set<string>()): Set<string> {
  if (loaded.has(file)) return loaded
  loaded.add(file)
  const text = readFileSync(join(projectDirectory, file), 'utf8').replace(/^\s*\/\/.*$/gm, '')
  for (const [, names = '', path = ''] of text.matchAll(/^(?:import|export) ([^;'"]*?)\s*from '([^']+)'/gm)) {
    const areTypes = names.startsWith('type ') || /^\{(\s*type [^,}]+,?)+\s*\}$/.test(names)
    if (areTypes) continue
    if (path.startsWith('.')) loadedWith(join(dirname(file), path), loaded)
    else loaded.add(path)
  }
  return loaded
}

describe('a gateway', () => {
  const loaded = [...loadedWith('gateway/gateway.ts')]

  it('loads only its core at its start', () => {
    expect(loaded).to.include.members([
      'gateway/api/rest/users/users-routes.ts',
      'koa',
      'pg',
      'bullmq',
      'yup',
    ])
  })

  it('loads pages, the body parsers and the modules of writes on demand', () => {
    const ofPages = loaded.filter((file) => /^gateway\/web\//.test(file))
    // Who is sent there, how the first administrator gets in, and which answers are compressed.
    expect(ofPages).to.have.members([
      'gateway/web/admin/account/setup-links.ts',
      'gateway/web/sessions/addresses.ts',
      'gateway/web/pages/page/security-headers.ts',
      'gateway/web/pages/page/redirect-browsers.ts',
      'gateway/web/sessions/secrets.ts',
    ])
    expect(loaded.filter((name) => /^knex/.test(name))).to.deep.equal([])
  })
})
