// Tests how administrators are created and disabled from a shell.
import { expect } from 'chai'
import { verifyPassword } from '../../shared/administrators/admin-store.ts'
import { useConnection, useDatabase } from '../support/databases.ts'
import { runAgainst } from './support/run.ts'

describe('npm run admin', () => {
  const own = useDatabase({ each: true })
  const database = useConnection(own)
  const run = runAgainst(own)

  const accepts = async (email: string, password: string) => {
    const [hash] = await database('admins').where({ email }).pluck('password_hash')
    return verifyPassword(password, hash)
  }

  it('creates an administrator with a password from a pipe, and does not print the password', async () => {
    const args = ['create', '--email', 'ada@example.com', '--password-stdin', '--json']
    const { code, stdout } = await run('admin', args, 'correct horse battery\n')
    expect(code).to.equal(0)
    expect(JSON.parse(stdout)).to.deep.equal({ id: 1, email: 'ada@example.com' })
    expect(await accepts('ada@example.com', 'correct horse battery')).to.equal(true)
    expect(await accepts('ada@example.com', 'correct horse battery\n')).to.equal(false)
  })

  it('generates a password if no terminal can ask for one, or on request', async () => {
    const first = await run('admin', ['create', '--email', 'ada@example.com', '--json'])
    const { password } = JSON.parse(first.stdout)
    expect(password).to.have.length.above(15)
    expect(await accepts('ada@example.com', password)).to.equal(true)
    await run('admin', ['disable', '--email', 'ADA@example.com'])
    expect(await disabledAt()).to.be.a('string')
    const second = await run('admin', ['reset-password', '--email', 'ada@example.com'])
    expect(second.stdout).to.include('shown only once')
    expect(await accepts('ada@example.com', second.stdout.trim().split('\n').at(-1) ?? '')).to.equal(true)
    expect(await disabledAt()).to.equal(null)
  })

  it('ends the sessions of an administrator who is disabled or gets a new password', async () => {
    for (const email of ['ada@example.com', 'bob@example.com', 'eve@example.com']) {
      await run('admin', ['create', '--email', email])
      const { id } = await database('admins').where({ email }).first('id')
      const expires_at = new Date(Date.now() + 3_600_000)
      for (const device of ['laptop', 'telephone'])
        await database('sessions').insert({ hash: Buffer.from(email + device), admin_id: id, expires_at })
    }
    await run('admin', ['disable', '--email', 'ada@example.com'])
    await run('admin', ['reset-password', '--email', 'BOB@example.com'])
    const signedIn = await database('sessions').join('admins', 'admins.id', 'admin_id').distinct('email')
    expect(signedIn).to.deep.equal([{ email: 'eve@example.com' }])
  })

  it('logs changes to administrators in the audit log, without passwords', async () => {
    await run(
      'admin',
      ['create', '--email', 'ada@example.com', '--password-stdin'],
      'correct horse battery\n',
    )
    await run('admin', ['reset-password', '--email', 'ada@example.com'])
    await run('admin', ['disable', '--email', 'Ada@example.com'])
    await run('admin', ['disable', '--email', 'nobody@example.com'])
    const log = await database('audit_log').orderBy('id')
    expect(log.map(({ action }) => action)).to.deep.equal([
      'admins.create',
      'admins.reset-password',
      'admins.disable',
    ])
    for (const entry of log)
      expect(entry).to.include({
        actor_type: 'system',
        actor_name: 'npm run admin',
        resource: 'admins',
        resource_id: 1,
      })
    expect(JSON.stringify(log)).to.not.match(/horse|scrypt/)
  })

  it('rejects invalid input with a single sentence, and changes nothing', async () => {
    await run('admin', ['create', '--email', 'ada@example.com'])
    const before = await database('admins')
    const outcomes = await Promise.all([
      run('admin', ['create', '--email', 'ADA@example.com']),
      run('admin', ['create', '--email', 'ada']),
      run('admin', ['create', '--email', 'bob@example.com', '--password-stdin'], 'too short\n'),
      run('admin', ['reset-password', '--email', 'bob@example.com']),
      run('admin', ['disable', '--email', 'bob@example.com']),
      run('admin', ['promote', '--email', 'ada@example.com']),
    ])
    for (const { code, stdout, stderr } of outcomes) {
      expect(code).to.equal(1)
      expect(stdout).to.equal('')
      expect(stderr).to.match(/^[^\n]+\.\n$/)
    }
    expect(await database('admins')).to.deep.equal(before)
  })

  async function disabledAt() {
    const { code, stdout, stderr } = await run('admin', ['list', '--json'])
    expect(code, stderr).to.equal(0)
    return JSON.parse(stdout)[0].disabledAt
  }
})
