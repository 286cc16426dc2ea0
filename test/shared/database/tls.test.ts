// Tests TLS to Postgres with the modes of libpq, with a certificate that nothing else trusts.
import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, chownSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { startPostgres } from '../../../local/postgres/postgres.ts'
import type { Server } from '../../../local/tools/servers.ts'
import { connectPool } from '../../../shared/database/database.ts'
import { explainConnectionFault } from '../../../shared/database/faults.ts'
import { runAgainst } from '../../commands/support/run.ts'
import { makeFolder, query, removeFolder } from '../../local/support/local.ts'
import { eventually } from '../../support/time.ts'

const hasOpenSsl = spawnSync('openssl', ['version']).status === 0

describe('TLS to Postgres', function () {
  this.timeout(120_000)
  let folder: string
  let server: Server & { url: string }
  let authority: string

  before(async function () {
    if (!hasOpenSsl) {
      console.log('      There is no openssl: TLS is not tried.')
      return this.skip()
    }
    folder = makeFolder()
    chmodSync(folder, 0o755)
    server = await startPostgres({ directory: join(folder, 'postgres'), settings: { fsync: 'off' } })
    const [row] = await query(server.url, `SELECT current_setting('data_directory') AS data`)
    const data = String(row?.data)
    authority = join(folder, 'authority.crt')
    const key = join(data, 'server.key')
    const request = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '30', '-subj', '/CN=localhost']
    const files = ['-addext', 'subjectAltName=DNS:localhost', '-keyout', key, '-out', authority]
    execFileSync('openssl', [...request, ...files], { stdio: 'pipe' })
    execFileSync('cp', [authority, join(data, 'server.crt')])
    const { uid, gid } = statSync(data)
    chownSync(key, uid, gid)
    chmodSync(key, 0o600)
    await query(server.url, 'ALTER SYSTEM SET ssl = on')
    await query(server.url, 'SELECT pg_reload_conf()')
    await eventually(() => connect('localhost', 'sslmode=require'))
  })
  after(async () => {
    await server?.stop()
    if (folder) removeFolder(folder)
  })

  const addressOf = (host: string, options: string) => {
    const url = new URL(server.url)
    url.hostname = host
    return `${url.href}?${options}`
  }
  const connect = async (host: string, options: string) => {
    const pool = connectPool(addressOf(host, options), { connectionsMax: 1 })
    try {
      const { rows } = await pool.query('SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()')
      return rows
    } finally {
      await pool.end()
    }
  }
  const fails = async (host: string, options: string) => {
    const fault = await connect(host, options).catch((error: unknown) => error)
    return explainConnectionFault(fault)
  }

  it('encrypts with sslmode=require, regardless of the server’s certificate', async () => {
    expect(await connect('127.0.0.1', 'sslmode=require')).to.deep.equal([{ ssl: true }])
  })

  it('requires a trusted authority and the right host name with sslmode=verify-full', async () => {
    expect(await fails('localhost', 'sslmode=verify-full')).to.match(/that is not trusted here/)
    const known = `sslmode=verify-full&sslrootcert=${authority}`
    expect(await connect('localhost', known)).to.deep.equal([{ ssl: true }])
    expect(await fails('127.0.0.1', known)).to.equal('has a certificate for another name')
  })

  it('ignores the host name with sslmode=verify-ca', async () => {
    expect(await connect('127.0.0.1', `sslmode=verify-ca&sslrootcert=${authority}`)).to.deep.equal([
      { ssl: true },
    ])
  })

  it('trusts authorities in NODE_EXTRA_CA_CERTS, and explains in one line if the authority is unknown', async () => {
    const databaseUrl = addressOf('localhost', 'sslmode=verify-full')
    const refused = await runAgainst({ databaseUrl })('migrate', ['status'])
    expect(refused.code).to.equal(1)
    // The text in the last brackets comes from Node, and is longer in later versions.
    expect(refused.stderr).to.match(
      /^Cannot connect to the database: it has a certificate of an authority that is not trusted here \(sslrootcert, NODE_EXTRA_CA_CERTS\) \(self-signed certificate.*\)\.\n$/,
    )
    process.env.NODE_EXTRA_CA_CERTS = authority
    const { code, stdout } = await runAgainst({ databaseUrl })('migrate', ['status'])
    delete process.env.NODE_EXTRA_CA_CERTS
    expect([code, stdout.split(' ')[0]]).to.deep.equal([0, 'pending'])
  })
})
