// Tests how tokens are created, listed and revoked from a shell.
import { expect } from 'chai'
import { hashToken, isWellFormedToken } from '../../shared/tokens/token-store.ts'
import { createDatabase, useConnection, useDatabase } from '../support/databases.ts'
import { createBuilding, createUser } from '../support/factories.ts'
import { runAgainst } from './support/run.ts'

describe('npm run token', () => {
  const own = useDatabase()
  const database = useConnection(own)
  const run = runAgainst(own)

  it('creates, lists and revokes a token', async () => {
    const args = [
      'create',
      '--name',
      'Import',
      '--abilities',
      'booking-write, read',
      '--expires',
      '2999-12-31',
    ]
    const { code, stdout } = await run('token', [...args, '--rate-limit', '50', '--json'])
    expect(code).to.equal(0)
    const created = JSON.parse(stdout)
    expect(created).to.include({ name: 'Import', expiresAt: '3000-01-01T00:00:00.000000Z' })
    expect(created.abilities).to.deep.equal(['read', 'booking-write'])
    expect(isWellFormedToken(created.token)).to.equal(true)
    expect(await database('tokens').where({ id: created.id }).pluck('hash')).to.deep.equal([
      hashToken(created.token),
    ])

    expect(await list()).to.deep.include({
      ...omitSecret(created),
      rateLimitPerMinute: 50,
      requests: 0,
      state: 'active',
    })
    expect((await run('token', ['revoke', String(created.id)])).code).to.equal(0)
    expect(await list()).to.include({ state: 'revoked' })
    const again = await run('token', ['revoke', String(created.id)])
    expect(again).to.deep.equal({
      code: 1,
      stdout: '',
      stderr: `Token ${created.id} does not exist or is already revoked.\n`,
    })
  })

  it('limits a personal token to a year, and to 90 days by default', async () => {
    const email = 'anna@example.com'
    const user = await createUser(database, { email })
    const { code, stdout } = await run('token', ['create', '--user', 'Anna@example.com', '--json'])
    expect(code).to.equal(0)
    const created = JSON.parse(stdout)
    expect(created).to.deep.include({
      name: 'Anna@example.com',
      userId: user,
      abilities: ['read', 'booking-write'],
    })
    expect(created.token).to.match(/^berth_personal_/)
    const days = (Date.parse(created.expiresAt) - Date.now()) / 86_400_000
    expect(days).to.be.within(89, 90)
    const late = await run('token', ['create', '--user', email, '--expires', '2999-12-31'])
    expect([late.code, late.stderr]).to.deep.equal([
      1,
      'A personal token can be valid for at most 365 days: --expires is later.\n',
    ])
    expect((await run('token', ['create', '--user', 'nobody@example.com'])).code).to.equal(1)
  })

  it('gives a token a new secret, and keeps the old secret valid for now', async () => {
    const args = [
      'create',
      '--name',
      'Display',
      '--abilities',
      'read',
      '--addresses',
      '192.0.2.9/24, ::1',
      '--json',
    ]
    const { id, token } = JSON.parse((await run('token', args)).stdout)
    const rotated = JSON.parse(
      (await run('token', ['rotate', String(id), '--overlap', '2h', '--json'])).stdout,
    )
    expect(isWellFormedToken(rotated.token)).to.equal(true)
    const row = await database('tokens')
      .where({ id })
      .first('hash', 'previous_hash', 'previous_until', 'addresses')
    expect([row.hash, row.previous_hash]).to.deep.equal([hashToken(rotated.token), hashToken(token)])
    expect(Date.parse(row.previous_until) - Date.now()).to.be.within(7_000_000, 7_200_000)
    expect(String(row.addresses)).to.include('192.0.2.0/24').and.include('::1/128')
    const log = await database('audit_log').where({ resource: 'tokens', resource_id: id }).orderBy('id')
    expect(log.map(({ action }) => action)).to.deep.equal(['tokens.create', 'tokens.rotate'])
    expect(JSON.stringify(log)).to.not.include(rotated.token)
    for (const wrong of [['rotate', '999999'], ['rotate'], ['rotate', String(id), '--overlap', 'soon']])
      expect((await run('token', wrong)).code, String(wrong)).to.equal(1)
    const elsewhere = await run('token', [...args.slice(0, 5), '--addresses', '192.0.2.0/33'])
    expect(elsewhere.stderr).to.include('not “192.0.2.0/33”')
  })

  it('limits a token to buildings by id or name', async () => {
    const mill = await createBuilding(database, { name: 'Mill' })
    const twins = [
      await createBuilding(database, { name: 'Twin' }),
      await createBuilding(database, { name: 'twin' }),
    ]
    const args = ['create', '--name', 'Limited', '--abilities', 'read', '--json']
    const { id, buildingIds } = JSON.parse(
      (await run('token', [...args, '--building', 'mill', '--building', String(twins[0])])).stdout,
    )
    expect(buildingIds).to.deep.equal([mill, twins[0]])
    const listed = JSON.parse((await run('token', ['list', '--json'])).stdout)
    const [own] = listed.filter((each: { id: number }) => each.id === id)
    expect(own.buildingIds).to.deep.equal([mill, twins[0]])
    const several = await run('token', [...args, '--building', 'Twin'])
    expect(several.stderr).to.include('Several buildings are called “Twin”')
    const unknown = await run('token', [...args, '--building', '999999'])
    expect(unknown.stderr).to.equal('There is no building “999999”.\n')
    await database('tokens').where({ id }).delete()
  })

  it('records token changes in the audit log, without secrets', async () => {
    const created = await run('token', ['create', '--name', 'Audited', '--abilities', 'read', '--json'])
    const { id, token } = JSON.parse(created.stdout)
    await run('token', ['revoke', String(id)])
    await run('token', ['revoke', String(id)])
    const log = await database('audit_log').where({ resource: 'tokens', resource_id: id }).orderBy('id')
    expect(log.map(({ action }) => action)).to.deep.equal(['tokens.create', 'tokens.revoke'])
    expect(log[0]).to.deep.include({ actor_type: 'system', actor_name: 'npm run token' })
    expect(log[0].after).to.include({ name: 'Audited' })
    expect(JSON.stringify(log)).to.not.include(token)
  })

  it('prints the secret of a new token once, with a warning, and never in the list', async () => {
    const { stdout } = await run('token', ['create', '--name', 'Badge readers', '--abilities', 'all'])
    const token = stdout.match(/berth_\w+/)?.[0] ?? ''
    expect(isWellFormedToken(token)).to.equal(true)
    expect(stdout).to.include('shown only once')
    const listed = await run('token', ['list'])
    expect(listed.stdout).to.match(
      /Badge readers +read,user-write,object-write,booking-write,webhook-write .* active/,
    )
    expect(listed.stdout).not.to.include(token)
  })

  it('rejects invalid input with a single sentence, and creates nothing', async () => {
    const before = await database('tokens').pluck('id')
    const bad = [
      [],
      ['create', '--name', 'X', '--abilities', 'read,fly'],
      ['create', '--name', 'X', '--abilities', 'read', '--expires', '2020-01-01'],
      ['create', '--name', 'X', '--abilities', 'read', '--rate-limit', '0'],
      ['create', '--nam', 'X'],
      ['revoke', 'X'],
    ]
    const outcomes = await Promise.all(bad.map((args) => run('token', args)))
    for (const { code, stdout, stderr } of outcomes) {
      expect(code).to.equal(1)
      expect(stdout).to.equal('')
      expect(stderr).to.match(/^[^\n]+\.\n$/)
    }
    expect(await database('tokens').pluck('id')).to.deep.equal(before)
  })

  it('reports an unreachable or outdated database in a single sentence', async () => {
    const away = await runAgainst({ databaseUrl: 'postgres://postgres@127.0.0.1:1/berth' })('token', ['list'])
    expect(away).to.include({ code: 1, stdout: '' })
    expect(away.stderr).to.match(/^Cannot connect to the database: [^\n]+\.\n$/)
    const empty = await createDatabase({ empty: true })
    const old = await runAgainst(empty)('token', ['list'])
    expect(old).to.include({ code: 1, stdout: '' })
    expect(old.stderr).to.match(/^[^\n]+npm run migrate\.\n$/)
    await empty.drop()
  })

  async function list() {
    return JSON.parse((await run('token', ['list', '--json'])).stdout)[0]
  }
})

function omitSecret({ token: _secret, ...others }: { token: string }) {
  return others
}
