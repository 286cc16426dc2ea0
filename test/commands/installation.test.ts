// An installation for production in short: what is built, beside the packages that run it and no others. The whole, with
// npm, is in test/long/installation.test.ts.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { projectDirectory } from '../../local/tools/folders.ts'
import { makeFolder, removeFolder } from '../local/support/local.ts'
import { documentedCommands, itRuns, readPackage } from './support/installation.ts'

type Lock = { packages: Record<string, { dev?: boolean }> }

const FILES = ['package.json', 'Procfile', 'build.mjs', 'command.mjs']

describe('an installation without development packages', function () {
  this.timeout(180_000)
  let folder: string

  before(() => {
    folder = makeFolder()
    for (const file of FILES) cpSync(join(projectDirectory, file), join(folder, file))
    // What tests are built of has no place there.
    const filter = (file: string) => !/\/dist\/(test|bench)$|\.map$/.test(file)
    cpSync(join(projectDirectory, 'dist'), join(folder, 'dist'), { recursive: true, filter })
    linkPackages(folder)
  })

  after(() => removeFolder(folder))

  itRuns(() => folder, { withNpm: false })

  it('refuses to build, says why, and keeps what was built', () => {
    const { status, stderr } = spawnSync('node', ['build.mjs', '--clean'], { cwd: folder, encoding: 'utf8' })
    expect([status, stderr]).to.deep.equal([
      1,
      'The packages that build Berth are not installed. Run: npm ci && npm run build\n',
    ])
    expect(existsSync(join(folder, 'dist/gateway/main.js'))).to.equal(true)
  })

  it('has every documented command', () => {
    const { scripts } = readPackage(folder)
    const commands = Object.keys(scripts).filter((name) => scripts[name] === `node command.mjs ${name}`)
    expect(documentedCommands()).to.have.members(commands)
  })
})

describe('a command of a project that is not built', () => {
  it('says how to build it', () => {
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

// Those that `npm ci --omit=dev` leaves, the compiler too: a package that runs would take it if it is there.
function linkPackages(folder: string): void {
  const { packages } = JSON.parse(readFileSync(join(projectDirectory, 'package-lock.json'), 'utf8')) as Lock
  for (const [path, { dev }] of Object.entries(packages)) {
    const source = join(projectDirectory, path)
    const isNested = path.lastIndexOf('node_modules/') > 0
    if (!path || dev || isNested || !existsSync(source)) continue
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    symlinkSync(source, join(folder, path))
  }
}
