// Tests the oldest supported Postgres over TLS only, with verification of its certificate authority and host name.
import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { connectPool } from '../../shared/database/database.ts'
import { eventually } from '../support/time.ts'
import { use } from '../support/use.ts'
import { startDebianPostgres } from './stage/debian-postgres.ts'
import type { Owner } from './stage/programs.ts'
import { runSuiteOn } from './stage/suite.ts'

const POSTGRES_VERSION = 15
// Disables fsync, because the test is not about the disk.
const POSTGRES_SETTINGS = { max_connections: '400', fsync: 'off', autovacuum: 'off', jit: 'off', ssl: 'on' }

/** Creates a certificate authority, and a certificate of that authority for `localhost`. */
function createCertificates(data: string, owner: Owner) {
  const openssl = (line: string) => execFileSync('openssl', line.split(' '), { cwd: data, stdio: 'pipe' })
  const request = 'req -newkey rsa:2048 -nodes -days 30'
  openssl(`${request} -x509 -subj /CN=authority -keyout ca.key -out ca.pem`)
  openssl(
    `${request} -subj /CN=localhost -addext subjectAltName=DNS:localhost -keyout server.key -out server.csr`,
  )
  openssl(
    'x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -copy_extensions copy -days 30 -out server.crt',
  )
  for (const name of ['server.key', 'server.crt', 'ca.pem']) {
    if (owner) chownSync(join(data, name), owner.uid, owner.gid)
    chmodSync(join(data, name), 0o600)
  }
}

describe('PostgreSQL 15 over TLS', function () {
  this.timeout(3_600_000)
  const postgres = use(
    () =>
      startDebianPostgres(POSTGRES_VERSION, POSTGRES_SETTINGS, (data, owner) => {
        createCertificates(data, owner)
        writeFileSync(join(data, 'pg_hba.conf'), 'hostssl all all all scram-sha-256\n')
      }),
    { close: (made) => made.stop() },
  )
  const addressOf = (options: string) => {
    const url = new URL(postgres.url)
    url.hostname = 'localhost'
    return `${url.href}?${options}`
  }
  const verified = () => addressOf(`sslmode=verify-full&sslrootcert=${join(postgres.folder, 'data/ca.pem')}`)

  it('refuses connections without TLS, and explains why', async () => {
    const pool = connectPool(postgres.url, { connectionsMax: 1 })
    await eventually(async () => {
      const fault = await pool.query('SELECT 1').catch((error: unknown) => error)
      expect(String(fault)).to.match(/no encryption/)
    })
    await pool.end()
  })

  it('passes the core of the HTTP test suite with sslmode=verify-full', async () => {
    const pool = connectPool(verified(), { connectionsMax: 1 })
    const { rows } = await eventually(() =>
      pool.query(
        `SELECT ssl, version, current_setting('server_version_num')::int / 10000 AS server
         FROM pg_stat_ssl WHERE pid = pg_backend_pid()`,
      ),
    )
    await pool.end()
    expect(rows).to.deep.equal([{ ssl: true, version: 'TLSv1.3', server: POSTGRES_VERSION }])
    await runSuiteOn({ databaseUrl: verified() })
  })
})
