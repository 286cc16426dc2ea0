// Checks that a request and its effects form one trace, from the gateway through the queue and a worker to Postgres.
import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { runDelivery } from '../../../workers/delivery/run.ts'
import { SharedTransactions } from '../../../workers/delivery/shared-transactions.ts'
import { createEnvelope, createSlot, useTools, useWrites } from '../../support/faults/pipeline.ts'
import { type CollectedSpan, startTraces } from '../../support/http/trace-collector.ts'
import { eventually } from '../../support/time.ts'
import { use } from '../../support/use.ts'
import { useClient, useWorld } from '../../support/world.ts'

const [SERVER, CLIENT, PRODUCER, CONSUMER] = [2, 3, 4, 5]
const WAIT_MS = 50_000

function createTraceParent(flags = '01') {
  const traceId = randomBytes(16).toString('hex')
  const spanId = randomBytes(8).toString('hex')
  return { traceId, spanId, traceparent: `00-${traceId}-${spanId}-${flags}` }
}

describe('a trace', () => {
  const lines: string[] = []
  const traces = use(() => startTraces(), { close: (started) => started.close() })
  const world = useWorld({
    environment: { WRITE_WAIT_MS: String(WAIT_MS) },
    onLog: (line) => void lines.push(line),
  })
  const client = useClient(world)
  const writes = useWrites(world)
  const tools = useTools(world)

  const inTrace = (traceId: string) => traces.spans().filter((span) => span.traceId === traceId)
  const named = (spans: CollectedSpan[], name: string) =>
    spans.find((span) => span.name === name) ??
    expect.fail(`No “${name}” among ${spans.map((span) => span.name)}`)
  const ancestorsOf = (span: CollectedSpan, spans: CollectedSpan[]): string[] => {
    const parent = spans.find(({ spanId }) => spanId === span.parentSpanId)
    return parent ? [parent.name, ...ancestorsOf(parent, spans)] : []
  }
  /** Returns the spans of a trace, once the span that ends last has arrived. */
  const whole = (traceId: string, last: string) =>
    eventually(() => {
      const spans = inTrace(traceId)
      named(spans, last)
      return spans
    }, WAIT_MS)

  it('continues from the caller through the queue and a worker to the SQL statements', async () => {
    const { traceId, spanId, traceparent } = createTraceParent()
    const { status } = await client.post('bookings', await createSlot(world), { traceparent })
    expect(status).to.equal(200)
    const spans = await whole(traceId, 'POST /api/v1/bookings')
    const request = named(spans, 'POST /api/v1/bookings')
    const sending = named(spans, 'send writes')
    const work = await eventually(() => named(inTrace(traceId), 'process writes'), WAIT_MS)
    expect([request.parentSpanId, request.kind]).to.deep.equal([spanId, SERVER])
    expect([sending.parentSpanId, sending.kind]).to.deep.equal([request.spanId, PRODUCER])
    expect([work.parentSpanId, work.kind]).to.deep.equal([sending.spanId, CONSUMER])
    expect(request.attributes).to.include({
      'http.route': '/api/v1/bookings',
      'http.response.status_code': 200,
    })
    expect(work.attributes).to.include({ 'berth.job': 'bookings.create', 'berth.outcome': 'done' })
    expect(work.attributes['berth.attempt']).to.equal(sending.attributes['berth.attempt'])
    const statements = inTrace(traceId).filter(({ kind }) => kind === CLIENT)
    const claimed = named(statements, 'claim-attempts')
    expect(ancestorsOf(claimed, inTrace(traceId))).to.deep.equal([
      'process writes',
      'send writes',
      'POST /api/v1/bookings',
    ])
    expect(claimed.attributes).to.include({
      'db.system.name': 'postgresql',
      'db.query.summary': 'INSERT receipts',
    })
    expect(statements.map(({ name }) => name)).to.include.members(['BEGIN', 'COMMIT', 'store-outcomes'])
    // Finds the gateway's query for the token.
    expect(statements.filter((span) => span.parentSpanId === request.spanId)).to.not.have.length(0)
    expect(lines.filter((line) => line.includes('"request"')).join('')).to.include(`"traceId":"${traceId}"`)
  })

  it('marks a refused request as refused rather than as failed', async () => {
    const slot = await createSlot(world)
    await client.post('bookings', slot)
    const { traceId, traceparent } = createTraceParent()
    await client.post('bookings', slot, { traceparent })
    const work = await eventually(() => named(inTrace(traceId), 'process writes'), WAIT_MS)
    expect(work.attributes['berth.outcome']).to.equal('booking_conflict')
    expect(work.status.code).to.equal(0)
  })

  it('has a span for each attempt of a shared job, linked to the span of the job', async () => {
    const slot = await createSlot(world)
    const parents = [createTraceParent(), createTraceParent(), createTraceParent('00')]
    const attempts = parents.map(({ traceparent }, index) => {
      const times = {
        from_time: `2031-01-0${index + 1}T08:00:00.000Z`,
        to_time: `2031-01-0${index + 1}T09:00:00.000Z`,
      }
      const changes = { deadlineMs: Date.now() + WAIT_MS, traceparent }
      return { ...createEnvelope({ ...slot, ...times }, changes), job: 'bookings.create' }
    })
    await writes.queue.add('batch', { attempts })
    const [first, second, third] = parents as [(typeof parents)[0], (typeof parents)[0], (typeof parents)[0]]
    const spans = await whole(first.traceId, 'process batch')
    const work = await eventually(
      () => [first, second].map(({ traceId }) => named(inTrace(traceId), 'process writes')),
      WAIT_MS,
    )
    expect(work.map(({ parentSpanId }) => parentSpanId)).to.deep.equal([first.spanId, second.spanId])
    const batch = named(spans, 'process batch')
    expect(batch.attributes['messaging.batch.message_count']).to.equal(3)
    expect(batch.links?.map(({ spanId }) => spanId)).to.deep.equal(work.map(({ spanId }) => spanId))
    for (const { links } of work) expect(links?.map(({ spanId }) => spanId)).to.deep.equal([batch.spanId])
    expect(named(inTrace(first.traceId), 'claim-attempts').parentSpanId).to.equal(batch.spanId)
    expect(inTrace(third.traceId)).to.deep.equal([])
  })

  it('contains no statements of the transaction that starts when its own transaction ends', async () => {
    const transactions = new SharedTransactions(tools)
    const deliver = async (traceparent: string | undefined) => {
      const envelope = createEnvelope(await createSlot(world), { traceparent })
      return () =>
        runDelivery({ id: envelope.attempt, name: 'bookings.create', data: envelope }, tools, transactions)
    }
    const [traced, last] = [createTraceParent(), createTraceParent()]
    // The first delivery opens a connection to the database, which may take long.
    await (await deliver(undefined))()
    const deliveries = [await deliver(traced.traceparent), await deliver(undefined)]
    await Promise.all(deliveries.map((start) => start()))
    await (await deliver(last.traceparent))()
    await whole(last.traceId, 'process writes')
    const spans = await whole(traced.traceId, 'process writes')
    expect(spans.filter(({ name }) => name === 'claim-attempts')).to.have.length(1)
  })

  it('is not recorded if the caller does not sample it, and starts anew if the caller sends none', async () => {
    const unsampled = createTraceParent('00')
    await client.get('groups', { traceparent: unsampled.traceparent })
    const before = traces.spans().length
    for (const traceparent of ['', 'ff-1-2-3', `00-${'0'.repeat(32)}-${'0'.repeat(16)}-01`, 'x'.repeat(500)])
      await client.get('groups', traceparent ? { traceparent } : {})
    await eventually(() => {
      const begun = traces
        .spans()
        .slice(before)
        .filter(({ name }) => name === 'GET /api/v1/groups')
      expect(begun).to.have.length(4)
      for (const { parentSpanId } of begun) expect(parentSpanId ?? '').to.equal('')
    }, WAIT_MS)
    expect(inTrace(unsampled.traceId)).to.deep.equal([])
  })

  it('is not recorded for health checks or for jobs without a request', async () => {
    const asked = ['/healthz', '/readyz', '/metrics']
    for (const path of asked) await fetch(world.url + path)
    const slot = createEnvelope(await createSlot(world), { deadlineMs: Date.now() + WAIT_MS })
    await writes.queue.add('bookings.create', slot, { jobId: slot.attempt })
    const { traceId, traceparent } = createTraceParent()
    await client.post('bookings', await createSlot(world), { traceparent })
    await eventually(() => named(inTrace(traceId), 'process writes'), WAIT_MS)
    const all = traces.spans()
    expect(all.filter(({ attributes }) => attributes['berth.attempt'] === slot.attempt)).to.deep.equal([])
    expect(all.filter(({ attributes }) => asked.includes(String(attributes['http.route'])))).to.deep.equal([])
  })
})
