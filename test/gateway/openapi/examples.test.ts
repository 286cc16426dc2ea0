// The examples of the OpenAPI document are true: they are what is answered about the demo's data, on whatever day it is.
// `npm run store-examples` stores them anew.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { seedDemo } from '../../../commands/seed/demo.ts'
import { endpoints } from '../../../gateway/app.ts'
import type { OpenApiDocument } from '../../../gateway/openapi/document.ts'
import { EXAMPLES, EXAMPLES_FILE } from '../../../gateway/openapi/examples/examples.ts'
import { projectDirectory } from '../../../local/tools/folders.ts'
import { Client } from '../../support/http/http.ts'
import { eventually } from '../../support/time.ts'
import { useClient, useWorld } from '../../support/world.ts'
import { askExamples, type Demo, type Examples } from './example-requests.ts'

const HOUR_MS = 3_600_000
const PUBLIC_URL = 'https://desk.example.com'

describe('the examples of the OpenAPI document', () => {
  const world = useWorld({
    workers: ['writes', 'imports', 'exports'],
    environment: { PUBLIC_URL, WRITE_WAIT_MS: '60000', KEEPALIVE_AFTER_MS: '600000' },
  })
  const client = useClient(world)
  let today: Examples
  before(async function askAll() {
    // Each import starts a process that reads its file.
    this.timeout(300_000)
    await seedDemo(world.database)
    today = await askExamples(client, await findDemo())
    if (process.env.STORE_EXAMPLES === undefined) return
    const file = join(projectDirectory, 'gateway/openapi/examples', EXAMPLES_FILE)
    writeFileSync(file, `${JSON.stringify(today, undefined, 2)}\n`)
  })

  async function findDemo(): Promise<Demo> {
    const { database } = world
    const { rows } = await database.raw(
      "SELECT (date_trunc('week', current_date) + interval '12 days')::date::text AS saturday",
    )
    const saturdayMs = Date.parse(`${rows[0].saturday}T00:00:00Z`)
    const wednesdayMs = saturdayMs - 62 * HOUR_MS
    const vehicle = await database('vehicles').orderBy('id').first('id', 'user_id')
    const room = await database('bookables').where({ type: 2, status: 0 }).orderBy('id').first('id')
    return {
      vehicle,
      room: room.id,
      onWednesday: new Client((await world.startGateway({}, () => wednesdayMs)).url, client.token),
      onSaturday: new Client(
        (await world.startGateway({}, () => saturdayMs + 10 * HOUR_MS)).url,
        client.token,
      ),
      untilServed: () =>
        eventually(async () => {
          const { rows: waiting } = await database.raw(
            'SELECT FROM changes WHERE horizon >= pg_snapshot_xmin(pg_current_snapshot())::text::bigint LIMIT 1',
          )
          expect(waiting).to.deep.equal([])
        }),
      at: (hour) => new Date(saturdayMs + hour * HOUR_MS).toISOString().replace('.000Z', 'Z'),
    }
  }

  it('are what is answered today', () => {
    expect(Object.keys(EXAMPLES)).to.deep.equal(Object.keys(today))
    for (const [name, example] of Object.entries(today))
      expect(withoutTimes(EXAMPLES[name]), name).to.deep.equal(withoutTimes(example))
  })

  it('are there for the request and the answer of each operation', async () => {
    const document: OpenApiDocument = (await client.get('openapi.json')).json
    const missing: string[] = []
    for (const operation of Object.values(document.paths).flatMap((methods) => Object.values(methods))) {
      const request = operation.requestBody?.content['application/json']
      if (request && !('example' in request)) missing.push(`${operation.operationId}: request`)
      for (const [status, { content }] of Object.entries(operation.responses)) {
        const json = status.startsWith('2')
          ? (content?.['application/json'] ?? content?.['text/calendar'])
          : undefined
        if (json && !('example' in json)) missing.push(`${operation.operationId}: ${status}`)
      }
    }
    expect(missing, 'ask for them in example-requests.ts, then npm run store-examples').to.deep.equal([])
    expect(Object.keys(EXAMPLES)).to.satisfy((names: string[]) =>
      names.every((each) => endpoints.some(({ name }) => name === each)),
    )
  })

  it('name the address of the service', async () => {
    const { text } = await client.get('openapi.json')
    expect(text).to.include(`${PUBLIC_URL}/api/v1/bookings/`)
  })
})

const CHANGING = new Set([
  'booking_current',
  'booking_next',
  'progress',
  'state',
  'request_id',
  'id',
  'next',
  'sequence',
])

/** With what depends on today or on chance taken out. */
function withoutTimes(value: unknown): unknown {
  const text = JSON.stringify(value, (name, member) => (CHANGING.has(name) ? 'changes' : member))
  return JSON.parse(
    text
      .replace(/\d{4}-\d\d-\d\d(T[\d:.]+Z)?/g, 'time')
      .replace(/\d{8}T\d{6}Z/g, 'time')
      .replace(/(bookings\/|booking-|event-)\d+/g, 'booking id')
      .replace(/[\da-f]{8}(-?[\da-f]{4}){3}-?[\da-f]{12}/g, 'uuid'),
  )
}
