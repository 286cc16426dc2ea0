import { expect } from 'chai'
import { ENVELOPE_FIELD_NAMES, readEnvelope } from '../../../shared/jobs/envelope.ts'

const VALID_ENVELOPE = {
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

const INVALID_VALUES: Record<string, unknown[]> = {
  attempt: [undefined, null, 1, 'mine', ''],
  database: [undefined, null, '', 1],
  actor: [
    undefined,
    null,
    'token',
    [],
    {},
    { ...VALID_ENVELOPE.actor, type: 'root' },
    { ...VALID_ENVELOPE.actor, id: 1.5 },
    { ...VALID_ENVELOPE.actor, id: '3' },
    { type: 'token', name: 'no id' },
    { ...VALID_ENVELOPE.actor, name: null },
  ],
  requestId: [undefined, null, '', 7],
  baseUrl: [undefined, null, 7],
  receivedAt: [undefined, null, '', 7],
  deadlineMs: [undefined, null, '5', Number.NaN, Number.POSITIVE_INFINITY],
  replyTo: [undefined, 7],
  accepted: [null, 'yes', 1],
  runsAlone: [null, 'yes', 1],
  idempotency: [
    undefined,
    'k',
    {},
    { ...VALID_ENVELOPE.idempotency, key: '' },
    { ...VALID_ENVELOPE.idempotency, scope: 3 },
  ],
}

describe('the envelope of a job', () => {
  it('is read as it was written, but without unknown fields', () => {
    const inherited = Object.assign(Object.create({ accepted: 'inherited' }), VALID_ENVELOPE, {
      stranger: 1,
      input: {},
    })
    delete inherited.accepted
    const { accepted, ...rest } = VALID_ENVELOPE
    expect(readEnvelope(inherited)).to.deep.equal(rest)
    expect(readEnvelope(VALID_ENVELOPE)).to.deep.equal({ ...rest, accepted })
    expect(
      readEnvelope({ ...VALID_ENVELOPE, idempotency: null, actor: { ...VALID_ENVELOPE.actor, id: null } }),
    ).to.be.an('object')
  })

  for (const [name, values] of Object.entries(INVALID_VALUES)) {
    it(`is refused if its ${name} is invalid`, () => {
      for (const value of values) {
        expect(() => readEnvelope({ ...VALID_ENVELOPE, [name]: value }), JSON.stringify(value)).to.throw(
          `${name} is not valid.`,
        )
      }
    })
  }

  it('is refused unless it is an object with valid fields', () => {
    for (const value of [undefined, null, 'text', 5]) expect(() => readEnvelope(value)).to.throw()
    expect(Object.keys(INVALID_VALUES).every((name) => ENVELOPE_FIELD_NAMES.includes(name))).to.equal(true)
    expect(ENVELOPE_FIELD_NAMES).to.include.members([
      ...Object.keys(VALID_ENVELOPE),
      'type',
      'scope',
      'fingerprint',
    ])
  })
})
