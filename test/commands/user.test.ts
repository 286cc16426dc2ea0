// Tests how a user is erased from a shell.
import { expect } from 'chai'
import { useConnection, useDatabase } from '../support/databases.ts'
import { createBooking, createUser, hoursFromNow } from '../support/factories.ts'
import { runAgainst } from './support/run.ts'

describe('npm run user', () => {
  const own = useDatabase()
  const database = useConnection(own)
  const run = runAgainst(own)

  it('shows what erasing a user would delete, and then erases the user', async () => {
    const id = await createUser(database, { name: 'Ada Lovelace' })
    const past = await createBooking(database, { user_id: id, from: hoursFromNow(-5), to: hoursFromNow(-4) })
    await createBooking(database, { user_id: id, from: hoursFromNow(4), to: hoursFromNow(5) })
    const dry = await run('user', ['erase', String(id), '--dry-run'])
    expect(dry.code, dry.stderr).to.equal(0)
    expect(dry.stdout).to.match(
      /^User \d+ would be erased. Nothing was changed.\n +1 {2}upcoming bookings cancelled\n/,
    )
    expect(await database('users').where({ id })).to.have.length(1)

    const { code, stdout } = await run('user', ['erase', String(id), '--json'])
    expect(code).to.equal(0)
    const erasure = { cancelledBookings: 1, endedBookings: 0, anonymousBookings: 1, cancelledEvents: 0 }
    expect(JSON.parse(stdout)).to.include({ id, dryRun: false, ...erasure })
    expect(await database('users').where({ is_anonymous: false })).to.deep.equal([])
    expect(await database('bookings').pluck('id')).to.deep.equal([past])
    expect(await database('audit_log').first()).to.include({
      action: 'users.erase',
      actor_name: 'npm run user',
    })
  })

  it('refuses to erase administrators, unknown users and invalid ids, each with a sentence', async () => {
    const id = await createUser(database, { email: 'boss@example.com' })
    await database('admins').insert({ email: 'boss@example.com', password_hash: '' })
    const outcomes = await Promise.all([
      run('user', ['erase', String(id)]),
      run('user', ['erase', String(id), '--dry-run']),
      run('user', ['erase', '999999']),
      run('user', ['erase', 'Ada']),
      run('user', ['erase']),
    ])
    for (const { code, stdout, stderr } of outcomes) {
      expect([code, stdout]).to.deep.equal([1, ''])
      expect(stderr).to.match(/\.\n$/)
      expect(stderr.trim().split('\n')).to.have.length(1)
    }
    expect(outcomes[0]?.stderr).to.include('This user is an administrator.')
    expect(await database('users').where({ id })).to.have.length(1)
  })
})
