// Builds the image of the Dockerfile without Docker in clean folders, and tests the installation in it as a user
// without write access. The packages come from npm's cache or the registry.
import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { projectDirectory } from '../../local/tools/folders.ts'
import { itRuns } from '../commands/support/installation.ts'
import { makeFolder, removeFolder } from '../local/support/local.ts'
import { startLine } from '../support/processes.ts'
import { useWorld } from '../support/world.ts'
import { buildImage, type Image, makeReadOnly } from './image/dockerfile.ts'

// The user “nobody”, if the tests may act as another user.
const USER = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : undefined

describe('the image of the Dockerfile that is built without Docker', () => {
  let folder: string
  let image: Image

  before(() => {
    folder = makeFolder()
    // Every user who runs programs in the folder must be able to enter it.
    chmodSync(folder, 0o755)
    const cache = join(folder, 'npm')
    const known = execFileSync('npm', ['config', 'get', 'cache'], { encoding: 'utf8' }).trim()
    if (existsSync(join(known, '_cacache')))
      cpSync(join(known, '_cacache'), join(cache, '_cacache'), { recursive: true })
    if (USER && existsSync(cache)) execFileSync('chown', ['-R', `${USER.uid}:${USER.gid}`, cache])
    image = buildImage(join(projectDirectory, 'Dockerfile'), {
      context: copyContext(join(folder, 'context')),
      folder: join(folder, 'stages'),
      user: USER,
      environment: { HOME: folder, npm_config_cache: cache },
    })
    if (USER) makeReadOnly(image)
  })

  after(() => removeFolder(folder))

  it('contains only the files that Berth needs at run time', () => {
    const has = (path: string) => existsSync(join(image.directory, path))
    expect(
      ['dist/gateway/main.js', 'command.mjs', 'node_modules/koa', 'deploy/backup/archive-wal.sh'].filter(
        (path) => !has(path),
      ),
    ).to.deep.equal([])
    expect(
      ['gateway', 'dist/test', 'node_modules/mocha', 'node_modules/typescript', 'build.mjs'].filter(has),
    ).to.deep.equal([])
    expect(image.user).to.not.equal('root')
  })

  itRuns(() => image.directory, { withNpm: false, user: USER })

  describe('the image when it is started', () => {
    const world = useWorld()

    it('starts a server that answers requests and passes its health check', async () => {
      const environment = {
        ...image.environment,
        DATABASE_URL: world.databaseUrl,
        REDIS_URL: world.redisUrl,
        PORT: '0',
      }
      const gateway = startLine(`exec ${image.command.join(' ')}`, environment, image.directory, USER)
      const { port } = await gateway.line('listening')
      const check = () => {
        const [program = '', ...parameters] = image.healthCheck
        const env = { PATH: process.env.PATH, ...image.environment, PORT: String(port) }
        return spawnSync(program, parameters, { ...USER, cwd: image.directory, env }).status
      }
      expect(check()).to.equal(0)
      gateway.kill('SIGTERM')
      expect(await gateway.ended).to.equal(0)
      expect(check()).to.equal(1)
    })
  })
})

/** Copies the files that git tracks and .dockerignore includes. */
function copyContext(context: string): string {
  const list = ['ls-files', '--cached', '--others', '--exclude-standard']
  const files = execFileSync('git', list, { cwd: projectDirectory, encoding: 'utf8' }).trim().split('\n')
  const lines = readFileSync(join(projectDirectory, '.dockerignore'), 'utf8').split('\n')
  const kept = lines.filter((line) => line.startsWith('!')).map((line) => line.slice(1))
  for (const file of files)
    if (
      kept.some((name) => file === name || file.startsWith(`${name}/`)) &&
      existsSync(join(projectDirectory, file))
    )
      cpSync(join(projectDirectory, file), join(context, file))
  return context
}
