// Installs Berth with npm in a clean folder, exactly as docs/operations.md describes. The packages come from npm's
// cache or the registry.
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { projectDirectory } from '../../local/tools/folders.ts'
import { itRuns } from '../commands/support/installation.ts'
import { makeFolder, removeFolder } from '../local/support/local.ts'

describe('an installation as documented', () => {
  let folder: string

  before(() => {
    folder = makeFolder()
    const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
      cwd: projectDirectory,
      encoding: 'utf8',
    })
    for (const file of files.trim().split('\n')) {
      const source = join(projectDirectory, file)
      if (existsSync(source)) cpSync(source, join(folder, file))
    }
    for (const line of readDocumentedLines())
      execFileSync('/bin/sh', ['-c', line], { cwd: folder, stdio: 'pipe' })
  })

  after(() => removeFolder(folder))

  itRuns(() => folder, { withNpm: true })

  it('contains no package that is needed for development only', () => {
    expect(existsSync(join(folder, 'node_modules/mocha'))).to.equal(false)
  })
})

function readDocumentedLines(): string[] {
  const text = readFileSync(join(projectDirectory, 'docs/operations.md'), 'utf8')
  const lines = [...text.matchAll(/^ {4}(npm .*?) *(#.*)?$/gm)].map(([, line = '']) => line)
  expect(lines[0]).to.match(/^npm ci/)
  return lines
}
