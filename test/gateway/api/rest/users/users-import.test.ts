// Tests the import of user lists over HTTP: the result of each row, each case of the decision table, and the
// refusals.
import { expect } from 'chai'
import { createGroup, createUser, createVehicle } from '../../../../support/factories.ts'
import { monitorRedis } from '../../../../support/faults/redis-monitor.ts'
import { eventually } from '../../../../support/http/reading.ts'
import { useClient, useWorld, type World } from '../../../../support/world.ts'

describe('POST users/import', () => {
  const world = useWorld({ workers: ['writes', 'imports'] })
  const client = useClient(world, 'user-write')

  let number = 0
  const address = () => `person${++number}@example.org`
  const find = (email: string) => world.database('users').whereRaw('lower(email) = lower(?)', [email]).first()
  // The gateway deletes the upload only after it has answered.
  const expectNoFile = () =>
    eventually(
      async () => world.database('files'),
      (files) => files.length === 0,
    )

  it('answers with the result, in exactly the documented format', async () => {
    const [fresh, known] = [address(), address()]
    await createUser(world.database, { email: known, name: 'Known' })
    const answer = await client.import(`email,name\n${fresh},New\n\n${known},Known\njane@,Jane\n`, {
      dry_run: 'false',
    })
    expect(answer.status).to.equal(200)
    expect(answer.json).to.deep.equal({
      dryRun: false,
      created: [2],
      updated: [],
      deleted: 0,
      skipped: [4],
      errors: [5],
      errorMessages: { 5: { email: ['Row 5: the email must be a valid e-mail address (it is “jane@”).'] } },
      rows: 3,
      filename: 'users.csv',
    })
    expect(await find(fresh)).to.include({ name: 'New', deactivated_at: null })
  })

  it('refuses options in the query string instead of ignoring them', async () => {
    const email = address()
    const ask = (query: string) => {
      const form = new FormData()
      form.set('file', new Blob([`email,name\n${email},New\n`]), 'users.csv')
      return client.ask(`users/import?${query}`, { method: 'POST', form })
    }
    for (const name of ['update', 'restore', 'deactivate', 'key_column', 'dry_run']) {
      for (const query of [`${name}=true`, `${name}=no`, name, `from=x&${name}=1&${name}=0`]) {
        const { status, json } = await ask(query)
        expect([status, json.errors], query).to.deep.equal([
          422,
          { [name]: [`${name} must be a field of the form, not of the query.`] },
        ])
      }
    }
    expect(await find(email)).to.equal(undefined)
    await expectNoFile()
    expect(await ask('from=2026-11-20')).to.include({ status: 200 })
  })

  it('accepts any file name, cuts long names between characters, and replaces invalid characters', async () => {
    const names = {
      [`${'a'.repeat(254)}😀.csv`]: `${'a'.repeat(254)}😀`,
      [`${'😀'.repeat(300)}.csv`]: '😀'.repeat(255),
      'a\0b\u0085c.csv': 'a b c.csv',
    }
    for (const [filename, shown] of Object.entries(names)) {
      const answer = await client.import(`email,name\n${address()},New\n`, { filename })
      expect([answer.status, answer.json.filename]).to.deep.equal([200, shown])
    }
  })

  // Tests each case of the decision table: which user is found, which options are set, and what happens.
  for (const update of [false, true]) {
    for (const restore of [false, true]) {
      const options = { update: String(update), restore: String(restore) }
      const told = `update=${update} restore=${restore}`

      it(`creates an unknown user (${told})`, async () => {
        const email = address()
        expect((await client.import(`email,name\n${email},New\n`, options)).json.created).to.deep.equal([2])
        expect(await find(email)).to.include({ name: 'New' })
      })

      it(`skips an active user whose data are the same (${told})`, async () => {
        const email = address()
        await createUser(world.database, { email, name: 'Same' })
        expect((await client.import(`email,name\n${email},Same\n`, options)).json.skipped).to.deep.equal([2])
      })

      it(`${update ? 'updates' : 'skips'} an active user whose data differ (${told})`, async () => {
        const email = address()
        await createUser(world.database, { email, name: 'Old' })
        const { json } = await client.import(`email,name\n${email},New\n`, options)
        expect(json).to.deep.include(update ? { updated: [2], skipped: [] } : { updated: [], skipped: [2] })
        expect(await find(email)).to.include({ name: update ? 'New' : 'Old' })
      })

      it(`${restore ? 'restores' : 'skips'} a deactivated user (${told})`, async () => {
        const email = address()
        await createUser(world.database, { email, name: 'Old', deactivated_at: new Date() })
        const { json } = await client.import(`email,name\n${email},New\n`, options)
        expect(json).to.deep.include(restore ? { updated: [2], skipped: [] } : { updated: [], skipped: [2] })
        const { name, deactivated_at } = await find(email)
        expect(deactivated_at === null).to.equal(restore)
        expect(name).to.equal(restore && update ? 'New' : 'Old')
      })
    }
  }

  it('finds users by id or UPN, or by e-mail if both cells are empty', async () => {
    const [first, second, third] = [address(), address(), address()]
    const id = await createUser(world.database, { email: first })
    await createUser(world.database, { email: second, upn: 'Second@corp' })
    await createUser(world.database, { email: third })
    const byId = await client.import(`id,email,name\n${id},${first},One\n,${third},Three\n`, {
      key_column: 'id',
      update: 'yes',
    })
    expect(byId.json.updated).to.deep.equal([2, 3])
    const byUpn = await client.import(`upn,email,name\nsecond@CORP,${second},Two\n`, {
      key_column: 'upn',
      update: '1',
    })
    expect(byUpn.json.updated).to.deep.equal([2])
    expect(await find(first)).to.include({ name: 'One' })
    expect(await find(second)).to.include({ name: 'Two', upn: 'Second@corp' })
    expect(await find(third)).to.include({ name: 'Three' })
  })

  it('changes the e-mail of a user found by id, but not to that of another user or an earlier row', async () => {
    const [one, two] = [address(), address()]
    const first = await createUser(world.database, { email: one, name: 'One' })
    const second = await createUser(world.database, { email: two, name: 'Two', deactivated_at: new Date() })
    const changed = address()
    const list = `id,email,name\n${first},${changed},One\n${second},${changed},Two\n`
    const answer = await client.import(list, { key_column: 'id', update: 'true', restore: 'true' })
    expect(answer.json).to.deep.include({ updated: [2], errors: [3] })
    expect(answer.json.errorMessages[3].email[0]).to.equal(
      `Row 3: the email was already used in row 2 (it is “${changed}”).`,
    )
    const taken = await client.import(`id,email\n${first},${two}\n`, { key_column: 'id', update: 'true' })
    expect(taken.json.errorMessages[2].email).to.deep.equal([
      `Row 2: the e-mail belongs to another user (it is “${two}”).`,
    ])
  })

  it('replaces attributes, groups and plates as a whole, and clears them if the cell is empty', async () => {
    const email = address()
    const id = await createUser(world.database, { email, extension_attributes: { extensionAttribute1: 'A' } })
    const group_id = await createGroup(world.database, { name: 'Old group' })
    await world.database('group_members').insert({ group_id, user_id: id })
    await createVehicle(world.database, { user_id: id, license_plate: 'OLD 1' })
    const header = 'email;extensionAttribute1;extensionAttribute2;groups;license_plates\n'
    const list = `${header}${email};;B;"New group; Old group;New group";NEW 1\n`
    expect((await client.import(list, { update: 'on' })).json.updated).to.deep.equal([2])
    expect((await client.import(list, { update: 'on' })).json.skipped).to.deep.equal([2])
    const groups = await world
      .database('groups')
      .join('group_members', 'groups.id', 'group_members.group_id')
      .where({ user_id: id })
      .orderBy('name')
      .pluck('name')
    expect(groups).to.deep.equal(['New group', 'Old group'])
    expect(await world.database('vehicles').where({ user_id: id }).pluck('license_plate')).to.deep.equal([
      'NEW 1',
    ])
    expect((await find(email)).extension_attributes).to.deep.equal({ extensionAttribute2: 'B' })
    await client.import(`email;groups;license_plates\n${email};;\n`, { update: 'on' })
    expect(await world.database('group_members').where({ user_id: id })).to.have.length(0)
    expect(await world.database('vehicles').where({ user_id: id })).to.have.length(0)
    expect((await find(email)).extension_attributes).to.deep.equal({ extensionAttribute2: 'B' })
  })

  it('normalizes plates, so that importing an export with older plates changes nothing', async () => {
    const email = address()
    const id = await createUser(world.database, { email, name: 'Pia Plate' })
    const old = await createVehicle(world.database, { user_id: id, license_plate: 'hh  al 1' })
    const plates = () =>
      world.database('vehicles').where({ user_id: id }).orderBy('id').pluck('license_plate')
    const list = (cell: string) => `email;license_plates\n${email};${cell}\n`
    const exported = await client.import(list('"hh  al 1"'), { update: 'on' })
    expect(exported.json.skipped).to.deep.equal([2])
    const added = await client.import(list('"HH AL 1; b-er  2;B-ER 2"'), { update: 'on' })
    expect(added.json.updated).to.deep.equal([2])
    expect(await plates()).to.deep.equal(['hh  al 1', 'B-ER 2'])
    expect(await world.database('vehicles').where({ id: old })).to.have.length(1)
    const again = await client.import(list('"b-er 2;Hh Al 1"'), { update: 'on' })
    expect(again.json.skipped).to.deep.equal([2])
  })

  it('reports the errors of each row, and imports the other rows', async () => {
    const [twice, good] = [address(), address()]
    const list = `email,name,id\n${twice},Twice,\n${twice.toUpperCase()},Again,\n,Nobody,\n${address()},,\n${good},Good,x\n${address()},Fine,\n`
    const { json } = await client.import(list)
    expect(json).to.deep.include({ created: [2, 7], errors: [3, 4, 5, 6], rows: 6 })
    expect(json.errorMessages[3]).to.deep.equal({ email: ['Row 3: this user already appears in row 2.'] })
    expect(json.errorMessages[5]).to.deep.equal({ name: ['Row 5: the name is required for a new user.'] })
    expect(json.errorMessages[4].email[0]).to.match(/^Row 4: the email is required/)
    expect(json.errorMessages[6].id[0]).to.match(/^Row 6: the id must be/)
  })

  it('names every row with errors, but limits the messages per row and in total', async () => {
    const columns = Array.from({ length: 99 }, (_, index) => `extensionAttribute${index + 1}`)
    const rows = 1_000
    const line = `@,${'\x01,'.repeat(98)}\x01`
    const { replies, stop } = await watchReplies(world)
    const { status, json, text } = await client.import(
      [`email,${columns}`, ...Array<string>(rows).fill(line)].join('\n'),
      { dry_run: 'true' },
    )
    expect(status).to.equal(200)
    expect(json.errors).to.have.length(rows)
    expect(text.length).to.be.within(400 * 1024, 600 * 1024)
    // Redis would disconnect a client that reads so large a reply too slowly, so the reply is only in the receipt.
    await eventually(
      async () => replies.at(-1) ?? '',
      (last) => last.includes('isStored'),
    )
    stop()
    expect(Math.max(...replies.map((reply) => reply.length))).to.be.lessThan(1024)
    expect(Object.values(json.errorMessages[2]).flat())
      .to.have.length(12)
      .and.include('Row 2: 90 more errors.')
    const told = Object.keys(json.errorMessages).map(Number)
    const last = told.at(-1) ?? 0
    expect(told).to.deep.equal(json.errors.slice(0, told.length))
    expect(Object.values(json.errorMessages[last])).to.deep.equal([
      [
        `Row ${last} and ${rows - told.length} more have errors that are not listed here. Correct the listed rows first.`,
      ],
    ])
  })

  it('answers a dry run with the result of a real import, but changes nothing', async () => {
    const [fresh, known] = [address(), address()]
    await createUser(world.database, { email: known, name: 'Old' })
    const list = `email,name\n${fresh},New\n${known},Changed\nbad,Bad\n`
    const counts = () => world.database('users').count()
    const before = await counts()
    const dry = await client.import(list, { update: 'true', dry_run: 'True' })
    expect(await counts()).to.deep.equal(before)
    expect(await find(known)).to.include({ name: 'Old' })
    const real = await client.import(list, { update: 'true' })
    expect({ ...dry.json, dryRun: false }).to.deep.equal(real.json)
  })

  it('writes one entry to the audit log, but none for a dry run', async () => {
    const list = `email,name\n${address()},New\n`
    await client.import(list, { dry_run: '1' }, { 'X-Request-Id': 'dry-import' })
    await client.import(list, {}, { 'X-Request-Id': 'real-import' })
    expect(await world.database('audit_log').where({ request_id: 'dry-import' })).to.have.length(0)
    const [row] = await world.database('audit_log').where({ request_id: 'real-import' })
    expect(row).to.include({ action: 'users.import', actor_type: 'token' })
    expect(row.after).to.include({ created: 1, errors: 0, filename: 'users.csv' })
  })

  it('answers a repeat with the same file and key with the stored result, and keeps no upload', async () => {
    const list = `email,name\n${address()},New\n`
    const first = await client.import(list, {}, { 'Idempotency-Key': 'import-1' })
    const second = await client.import(list, {}, { 'Idempotency-Key': 'import-1' })
    expect(second.text).to.equal(first.text)
    expect(second.headers.get('Idempotency-Replayed')).to.equal('true')
    const other = await client.import(`${list}x`, {}, { 'Idempotency-Key': 'import-1' })
    expect(other.json.code).to.equal('idempotency_key_reused')
    await expectNoFile()
  })

  for (const [title, list, sentence] of [
    ['without an email column', 'name\nAda\n', /email/],
    ['with the same column twice', 'email,Email\na@example.org,b@example.org\n', /twice/],
    ['that is empty', '', /./],
    ['that is a PDF', '%PDF-1.7\n%âãÏÓ\n1 0 obj', /./],
  ] as const) {
    it(`refuses a file ${title}`, async () => {
      const answer = await client.import(list)
      expect(answer.status).to.equal(422)
      expect(answer.json.errors.file.join()).to.match(sentence)
    })
  }

  it('refuses a form without a file, malformed form fields, and any other body', async () => {
    const form = new FormData()
    form.set('update', 'true')
    const without = await client.ask('users/import', { method: 'POST', form })
    expect(without.json.errors).to.have.all.keys('file')
    const wrong = await client.import('email\n', { update: 'perhaps', key_column: 'name' })
    expect(wrong.json.errors).to.have.all.keys('update', 'key_column')
    expect((await client.post('users/import', { file: 'x' })).status).to.equal(415)
  })

  it('refuses a file above the size limit', async () => {
    const small = await world.startGateway({ FILE_BYTES_MAX: '2048' })
    const { Client: Asking } = await import('../../../../support/http/http.ts')
    const answer = await new Asking(small.url, client.token).import(`email\n${'a'.repeat(5_000)}\n`)
    expect([answer.status, answer.json.code]).to.deep.equal([413, 'too_large'])
  })
})

describe('POST users/import with deactivate', () => {
  const world = useWorld({ each: true, workers: ['writes', 'imports'] })
  const client = useClient(world, 'user-write')
  beforeEach(async () => {
    for (const name of ['ada', 'bob', 'eve'])
      await createUser(world.database, { name, email: `${name}@example.com` })
  })

  const active = () => world.database('users').where({ deactivated_at: null }).orderBy('id').pluck('name')

  it('deactivates users whom no row names, but not users whose row has errors', async () => {
    const list = `email,name\nADA@example.com,ada\nbob@example.com,${'x'.repeat(256)}\n`
    const dry = await client.import(list, { deactivate: 'true', dry_run: 'true' })
    expect(dry.json).to.deep.include({ deleted: 1, errors: [3] })
    expect(await active()).to.deep.equal(['ada', 'bob', 'eve'])
    expect((await client.import(list, { deactivate: 'true' })).json.deleted).to.equal(1)
    expect(await active()).to.deep.equal(['ada', 'bob'])
  })

  it('deactivates nobody if no row is valid, and refuses a list without rows', async () => {
    const invalid = await client.import('email,name\nnobody,x\n', { deactivate: 'true' })
    expect(invalid.json).to.deep.include({ deleted: 0, errors: [2] })
    const empty = await client.import('email,name\n', { deactivate: 'true' })
    expect(empty.status).to.equal(422)
    expect(empty.json.errors).to.have.all.keys('file')
    expect(await active()).to.deep.equal(['ada', 'bob', 'eve'])
  })

  it('finds users that another transaction creates while the import runs', async () => {
    const email = 'new@example.com'
    const elsewhere = await world.database.transaction()
    await elsewhere('users').insert({ email, name: 'Elsewhere' })
    const imported = client.import(`email,name\n${email},Imported\n`, { update: 'true' })
    // Waits until the import is blocked by the transaction that creates the same user.
    await eventually(
      async () => {
        const { rows } = await world.database.raw(
          "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
        )
        return rows.length
      },
      (waiting) => waiting > 0,
    )
    await elsewhere.commit()
    expect((await imported).json).to.deep.include({ created: [], updated: [2] })
    expect(await world.database('users').where({ email }).first()).to.include({ name: 'Imported' })
  })
})

/** Records every reply that is published from now on. */
async function watchReplies({ redisUrl }: World) {
  const replies: string[] = []
  const { stop } = await monitorRedis(redisUrl, ({ name, text }) => {
    if (name === 'spublish') replies.push(text)
  })
  return { replies, stop }
}
