// Berth with a Redis that speaks TLS with a certificate of its own authority, and lets an ACL user in who may do no more than
// docs/operations.md says.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { projectDirectory } from '../../local/tools/folders.ts'
import { use } from '../support/use.ts'
import { createCertificates } from './stage/certificates.ts'
import { RedisProcess } from './stage/redis-servers.ts'
import { runSuite } from './stage/suite.ts'

const ADMIN = 'of-the-administrator'
const PASSWORD = 'p@ss/of-berth'

/** What the page says that its user may do. */
function documentedRights(): string {
  const page = readFileSync(join(projectDirectory, 'docs/operations.md'), 'utf8')
  const [, rights] = /With an ACL user: `([^`]+)`/.exec(page) ?? []
  if (!rights) throw new Error('docs/operations.md names no rights of an ACL user')
  return rights
}

describe('a Redis with TLS and an ACL user', () => {
  const server = use(
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'berth-tls-'))
      const { authority, certificate, key } = createCertificates(join(folder, 'certificates'))
      const redis = await RedisProcess.start({
        directory: join(folder, 'redis'),
        portSetting: 'tls-port',
        settings: [
          'port 0',
          `tls-cert-file ${certificate}`,
          `tls-key-file ${key}`,
          `tls-ca-cert-file ${authority}`,
          'tls-auth-clients no',
          `requirepass ${ADMIN}`,
          `user berth on >${PASSWORD} ${documentedRights()}`,
        ],
        login: { password: ADMIN, tls: { ca: readFileSync(authority) } },
      })
      return { folder, redis, authority }
    },
    {
      async close({ redis, folder }) {
        await redis.kill()
        rmSync(folder, { recursive: true })
      },
    },
  )

  it('serves the core of the suite, and denies no command of Berth', async () => {
    const { redis, authority } = server
    const at = (login: string) => `rediss://${login}@localhost:${redis.port}`
    await runSuite({
      settings: { REDIS_URL: at(`berth:${encodeURIComponent(PASSWORD)}`) },
      empty: [at(`:${ADMIN}`)],
      environment: { NODE_EXTRA_CA_CERTS: authority },
    })
    const denied = await redis.ask((admin) => admin.call('ACL', 'LOG'))
    expect(denied).to.deep.equal([])
  })
})
