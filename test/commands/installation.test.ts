// Tests a production installation: the build and only those packages that it needs. test/long/installation.test.ts
// tests a full installation with npm.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { projectDirectory } from '../../local/tools/folders.ts'
import { makeFolder, removeFolder } from '../local/support/local.ts'
import { itRuns, readDocumentedCommands, readPackage } from './support/installation.ts'

type PackageLock = { packages: Record<string, { dev?: boolean }> }

const COPIED_FILES = ['package.json', 'Procfile', 'build.mjs', 'command.mjs']

describe('an installation without development packages', function () {
  this.timeout(180_000)
  let folder: string

  before(() => {
    folder = makeFolder()
    for (const file of COPIED_FILES) cpSync(join(projectDirectory, file), join(folder, file))
    // Excludes the built tests, which a production installation does not have.
    const filter = (file: string) => !/\/dist\/(test|bench)$|\.map$/.test(file)
    cpSync(join(projectDirectory, 'dist'), join(folder, 'dist'), { recursive: true, filter })
    linkPackages(folder)
  })

  after(() => removeFolder(folder))

  itRuns(() => folder, { withNpm: false })

  it('refuses to build, explains the reason, and keeps the existing build', () => {
    const { status, stderr } = spawnSync('node', ['build.mjs', '--clean'], { cwd: folder, encoding: 'utf8' })
    expect([status, stderr]).to.deep.equal([
      1,
      'The packages that build Berth are not installed. Run: npm ci && npm run build\n',
    ])
    expect(existsSync(join(folder, 'dist/gateway/main.js'))).to.equal(true)
  })

  it('includes every documented command', () => {
    const { scripts } = readPackage(folder)
    const commands = Object.keys(scripts).filter((name) => scripts[name] === `node command.mjs ${name}`)
    expect(readDocumentedCommands()).to.have.members(commands)
  })
})

describe('a command of Berth before the project is built', () => {
  it('explains how to build the project', () => {
    const folder = makeFolder()
    cpSync(join(projectDirectory, 'command.mjs'), join(folder, 'command.mjs'))
    const { status, stderr } = spawnSync('node', ['command.mjs', 'migrate'], {
      cwd: folder,
      encoding: 'utf8',
    })
    removeFolder(folder)
    expect([status, stderr]).to.deep.equal([1, 'Berth is not built. Run: npm ci && npm run build\n'])
  })
})

// Links the packages that `npm ci --omit=dev` installs; other packages must be absent, because code could use them by
// mistake.
function linkPackages(folder: string): void {
  const { packages } = JSON.parse(
    readFileSync(join(projectDirectory, 'package-lock.json'), 'utf8'),
  ) as PackageLock
  for (const [path, { dev }] of Object.entries(packages)) {
    const source = join(projectDirectory, path)
    const isNested = path.lastIndexOf('node_modules/') > 0
    if (!path || dev || isNested || !existsSync(source)) continue
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    symlinkSync(source, join(folder, path))
  }
}
