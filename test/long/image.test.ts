// The image that the Dockerfile describes, made by hand in clean folders by an ordinary user; and what an installation must
// be able to do in it, for a user who may write nothing there. The packages come from npm's cache or the registry.
import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { projectDirectory } from '../../local/tools/folders.ts'
import { itRuns } from '../commands/support/installation.ts'
import { makeFolder, removeFolder } from '../local/support/local.ts'
import { startLine } from '../support/processes.ts'
import { useWorld } from '../support/world.ts'
import { buildImage, type Image, seal } from './image/dockerfile.ts'

// The user “nobody”, where the tests may act as another one.
const USER = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : undefined

describe('the image of the Dockerfile, built without Docker,', () => {
  let folder: string
  let image: Image

  before(() => {
    folder = makeFolder()
    // Whoever runs in it must find the way to it.
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
    if (USER) seal(image)
  })

  after(() => removeFolder(folder))

  it('contains what is needed at run time, and nothing that only development needs', () => {
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

  describe('when it is started', () => {
    const world = useWorld()

    it('answers, and reports this by its health check', async () => {
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

/** What git has and .dockerignore lets through, which names what is let through. */
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
