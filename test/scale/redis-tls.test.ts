// Tests Berth with a Redis over TLS whose certificate has a private authority, and with an ACL user that has only the
// rights from docs/operations.md.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { projectDirectory } from '../../local/tools/folders.ts'
import { use } from '../support/use.ts'
import { createCertificates } from './stage/certificates.ts'
import { RedisProcess } from './stage/redis-servers.ts'
import { runSuite } from './stage/suite.ts'

const ADMIN_PASSWORD = 'of-the-administrator'
const PASSWORD = 'p@ss/of-berth'

/** Returns the rights of the ACL user from docs/operations.md. */
function readDocumentedRights(): string {
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
          `requirepass ${ADMIN_PASSWORD}`,
          `user berth on >${PASSWORD} ${readDocumentedRights()}`,
        ],
        login: { password: ADMIN_PASSWORD, tls: { ca: readFileSync(authority) } },
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

  it('passes the core of the HTTP test suite, and denies no command that Berth sends', async () => {
    const { redis, authority } = server
    const at = (login: string) => `rediss://${login}@localhost:${redis.port}`
    await runSuite({
      settings: { REDIS_URL: at(`berth:${encodeURIComponent(PASSWORD)}`) },
      empty: [at(`:${ADMIN_PASSWORD}`)],
      environment: { NODE_EXTRA_CA_CERTS: authority },
    })
    const denied = await redis.ask((admin) => admin.call('ACL', 'LOG'))
    expect(denied).to.deep.equal([])
  })
})
