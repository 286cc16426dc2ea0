import { expect } from 'chai'
import { ENVELOPE_NAMES, readEnvelope } from '../../../shared/jobs/envelope.ts'

const GOOD = {
  attempt: '5f0c1c38-9d5e-4f5f-8d7e-2f0d7ef3a111',
  database: 'here',
  actor: { type: 'token', id: 3, name: 'Integrator' },
  requestId: 'request',
  baseUrl: '',
  receivedAt: '2026-11-20T09:00:00.000000Z',
  deadlineMs: 1.5,
  replyTo: null,
  accepted: true,
  idempotency: { scope: 'token 3', key: 'k', fingerprint: 'f' },
}

const WRONG: Record<string, unknown[]> = {
  attempt: [undefined, null, 1, 'mine', ''],
  database: [undefined, null, '', 1],
  actor: [
    undefined,
    null,
    'token',
    [],
    {},
    { ...GOOD.actor, type: 'root' },
    { ...GOOD.actor, id: 1.5 },
    { ...GOOD.actor, id: '3' },
    { type: 'token', name: 'no id' },
    { ...GOOD.actor, name: null },
  ],
  requestId: [undefined, null, '', 7],
  baseUrl: [undefined, null, 7],
  receivedAt: [undefined, null, '', 7],
  deadlineMs: [undefined, null, '5', Number.NaN, Number.POSITIVE_INFINITY],
  replyTo: [undefined, 7],
  accepted: [null, 'yes', 1],
  idempotency: [undefined, 'k', {}, { ...GOOD.idempotency, key: '' }, { ...GOOD.idempotency, scope: 3 }],
}

describe('the envelope of a job', () => {
  it('is read as it was written, without unknown members', () => {
    const inherited = Object.assign(Object.create({ accepted: 'inherited' }), GOOD, {
      stranger: 1,
      input: {},
    })
    delete inherited.accepted
    const { accepted, ...rest } = GOOD
    expect(readEnvelope(inherited)).to.deep.equal(rest)
    expect(readEnvelope(GOOD)).to.deep.equal({ ...rest, accepted })
    expect(readEnvelope({ ...GOOD, idempotency: null, actor: { ...GOOD.actor, id: null } })).to.be.an(
      'object',
    )
  })

  for (const [name, values] of Object.entries(WRONG)) {
    it(`is refused if its ${name} is invalid`, () => {
      for (const value of values) {
        expect(() => readEnvelope({ ...GOOD, [name]: value }), JSON.stringify(value)).to.throw(
          `${name} is not valid.`,
        )
      }
    })
  }

  it('is refused if it is not an object, and has a check for each member', () => {
    for (const value of [undefined, null, 'text', 5]) expect(() => readEnvelope(value)).to.throw()
    expect(Object.keys(WRONG).every((name) => ENVELOPE_NAMES.includes(name))).to.equal(true)
    expect(ENVELOPE_NAMES).to.include.members([...Object.keys(GOOD), 'type', 'scope', 'fingerprint'])
  })
})
