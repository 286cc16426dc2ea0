// Tests the export of user lists over HTTP, accepted jobs, and the round trip: an export that is imported
// again changes nothing.
import { expect } from 'chai'
import ExcelJS from 'exceljs'
import { createGroup, createUser, createVehicle } from '../../../../support/factories.ts'
import { Client } from '../../../../support/http/http.ts'
import { eventually } from '../../../../support/time.ts'
import { useClient, useWorld } from '../../../../support/world.ts'

describe('GET users/export', () => {
  // Allows many requests, because the tests poll for results.
  const world = useWorld({
    workers: ['writes', 'imports', 'exports'],
    environment: { RATE_LIMIT_PER_MINUTE: '100000' },
  })
  const client = useClient(world, 'user-write')
  before(async () => {
    const ada = await createUser(world.database, {
      email: 'ada@example.com',
      name: '=1+1 "Ada"',
      upn: '+49 40 123',
      extension_attributes: { extensionAttribute10: 'a;b', extensionAttribute2: 'line\nbreak' },
    })
    for (const name of ['Zoo', 'Äpfel']) {
      const group_id = await createGroup(world.database, { name })
      await world.database('group_members').insert({ group_id, user_id: ada })
    }
    await createVehicle(world.database, { user_id: ada, license_plate: 'HH 1' })
    await createUser(world.database, { email: 'bob@example.com', name: '-bob' })
    await createUser(world.database, { email: 'gone@example.com', deactivated_at: new Date() })
  })

  it('answers with a CSV file of the active users that is harmless to spreadsheets', async () => {
    const today = () => new Date().toISOString().slice(0, 10)
    const days = [today()]
    const answer = await client.get('users/export?format=csv')
    days.push(today())
    expect(answer.status).to.equal(200)
    expect(answer.headers.get('Content-Type')).to.match(/^text\/csv/)
    expect(answer.headers.get('Content-Disposition')).to.be.oneOf(
      days.map((day) => `attachment; filename="users-${day}.csv"`),
    )
    expect(answer.text).to.equal(
      [
        'id,email,name,upn,groups,license_plates,extensionAttribute2,extensionAttribute10',
        `1,ada@example.com,"'=1+1 ""Ada""",+49 40 123,Zoo;Äpfel,HH 1,"line\nbreak",a;b`,
        `2,bob@example.com,'-bob,,,,,`,
        '',
      ].join('\n'),
    )
  })

  it('answers with an XLSX file in which every cell except the id is a text', async () => {
    const response = await fetch(`${world.url}/api/v1/users/export?format=xlsx`, {
      headers: { Authorization: `Bearer ${client.token}` },
    })
    const book = new ExcelJS.Workbook()
    await book.xlsx.load(await response.arrayBuffer())
    const sheet = book.worksheets[0]
    expect(sheet?.getRow(2).getCell(1).value).to.equal(1)
    expect(sheet?.getRow(2).getCell(3).value).to.equal('=1+1 "Ada"')
    expect(sheet?.rowCount).to.equal(3)
  })

  it('refuses other formats, and the method HEAD', async () => {
    expect((await client.get('users/export')).json.errors).to.deep.equal({ format: ['format is required.'] })
    expect((await client.get('users/export?format=pdf')).json.errors).to.deep.equal({
      format: ['format must be “csv” or “xlsx”.'],
    })
    const head = await client.ask('users/export?format=csv', { method: 'HEAD' })
    expect(head.status).to.equal(405)
  })

  for (const format of ['csv', 'xlsx']) {
    it(`exports a ${format} file that changes nothing if it is imported again with update`, async () => {
      const response = await fetch(`${world.url}/api/v1/users/export?format=${format}`, {
        headers: { Authorization: `Bearer ${client.token}` },
      })
      const file = new Uint8Array(await response.arrayBuffer())
      const { json } = await client.import(file, { update: 'true' })
      expect(json).to.deep.include({ created: [], updated: [], errors: [], skipped: [2, 3] })
    })
  }

  it('accepts Prefer: respond-async, and shows the job and its file only to the token that asked', async () => {
    const accepted = await client.get('users/export?format=csv', { Prefer: 'respond-async' })
    expect(accepted.status).to.equal(202)
    expect(accepted.headers.get('Retry-After')).to.match(/^[1-9]\d*$/)
    const id = accepted.headers.get('Location')?.split('/').at(-1)
    const nothing = { result: null, file: null, error: null, finished_at: null }
    expect(accepted.json.data).to.deep.include({ id, state: 'queued', progress: 0, ...nothing })
    expect(accepted.headers.get('Preference-Applied')).to.equal('respond-async')
    const { pathname } = new URL(accepted.headers.get('Location') ?? '')
    const job = await eventually(async () => {
      const { data } = (await client.get(pathname)).json
      expect(data.state).to.equal('done')
      return data
    })
    expect(job.created_at).to.equal(accepted.json.data.created_at)
    expect(job).to.include({
      state: 'done',
      progress: 100,
      result: null,
      error: null,
      file: `${world.url}${pathname}/file`,
    })
    const file = await client.get(`${pathname}/file`)
    expect(file.text).to.equal((await client.get('users/export?format=csv')).text)
    const other = await world.client('user-write')
    expect((await other.get(pathname)).status).to.equal(404)
    expect((await other.get(`${pathname}/file`)).status).to.equal(404)
    expect((await client.get('jobs/none')).status).to.equal(404)
  })

  it('ignores an Idempotency-Key if the caller waits; otherwise a repeat returns the accepted job', async () => {
    const key = { 'Idempotency-Key': 'export-1' }
    const accept = async () => {
      const { status, headers } = await client.get('users/export?format=csv', {
        Prefer: 'respond-async',
        ...key,
      })
      return [status, headers.get('Location'), headers.get('Idempotency-Replayed')]
    }
    const [status, path] = await accept()
    expect(status).to.equal(202)
    const first = await client.get('users/export?format=csv', key)
    const second = await client.get('users/export?format=csv', key)
    expect([first.status, second.status]).to.deep.equal([200, 200])
    expect(second.headers.has('Idempotency-Replayed')).to.equal(false)
    expect(second.text)
      .to.equal(first.text)
      .and.to.match(/^id,email,name/)
    expect(await accept()).to.deep.equal([202, path, 'true'])
    // Idempotency keys are stored only for accepted jobs, not for waiting callers.
    expect(await world.database('idempotency_keys').where({ key: 'export-1' })).to.have.length(1)
  })

  it('an import that is sent twice with the same key is accepted once, even if Redis loses all its data', async () => {
    const gateway = await world.startGateway()
    const asking = new Client(gateway.url, client.token)
    const headers = { Prefer: 'respond-async', 'Idempotency-Key': 'accepted-1' }
    const first = await asking.import('email,name\nlate@example.com,Late\n', {}, headers)
    const second = await asking.import('email,name\nlate@example.com,Late\n', {}, headers)
    expect(second.headers.get('Location')).to.equal(first.headers.get('Location'))
    expect(second.headers.get('Idempotency-Replayed')).to.equal('true')
    const other = await asking.import('email,name\nother@example.com,Late\n', {}, headers)
    expect(other.json.code).to.equal('idempotency_key_reused')
  })
})
