// Tests refusals: their promised codes and statuses, and the common format of error answers.
import { expect } from 'chai'
import { fieldName, literalMessage, message } from '../../../shared/messages/message.ts'
import {
  createProblemBody,
  createRetryAfterHeader,
  invalidFields,
  Refusal,
  type RefusalCode,
} from '../../../shared/messages/refusal.ts'
import { REFUSALS, RULE_REFUSALS, type RuleRefusal } from '../../../shared/messages/refusal-kinds.ts'

const PROMISED_STATUSES: Record<RefusalCode, number> = {
  ...(Object.fromEntries(RULE_REFUSALS.map((code) => [code, 409])) as Record<RuleRefusal, number>),
  unauthenticated: 401,
  invalid_token: 401,
  missing_ability: 403,
  address_not_allowed: 403,
  origin_not_allowed: 403,
  outside_buildings: 403,
  personal_token: 403,
  invalid_signature: 403,
  not_found: 404,
  method_not_allowed: 405,
  malformed_body: 400,
  unsupported_media_type: 415,
  too_large: 413,
  url_too_long: 414,
  headers_too_large: 431,
  validation_failed: 422,
  cursor_expired: 410,
  booking_conflict: 409,
  bookable_blocked: 409,
  bookable_assigned: 409,
  too_many_webhooks: 409,
  request_decided: 409,
  too_many_open_requests: 409,
  check_in_too_early: 409,
  already_away: 409,
  booking_ended: 409,
  webhook_disabled: 409,
  event_cancelled: 409,
  event_ended: 409,
  precondition_failed: 412,
  changed_meanwhile: 409,
  import_running: 409,
  in_use: 409,
  rate_limited: 429,
  idempotency_key_reused: 422,
  idempotency_key_in_use: 409,
  not_executed: 503,
  unavailable: 503,
  outcome_unknown: 504,
  internal_error: 500,
}

const codes = Object.keys(PROMISED_STATUSES) as RefusalCode[]
const origin = { baseUrl: 'https://desk.example.com', requestId: 'abc' }

describe('refusals', () => {
  it('have exactly the documented codes and statuses', () => {
    const statuses = Object.fromEntries(Object.entries(REFUSALS).map(([code, { status }]) => [code, status]))
    expect(statuses).to.deep.equal(PROMISED_STATUSES)
  })

  it('are explained with a title and whole sentences', () => {
    for (const { title, explanation } of Object.values(REFUSALS)) {
      expect(title).to.match(/^[A-Z][\w’ ]+$/)
      expect(explanation).to.match(/^[A-Z“].+[.]$/s)
    }
  })

  it('include Retry-After if their documentation says so', () => {
    const waiting = codes.filter((code) => createRetryAfterHeader(code)['Retry-After'])
    expect(waiting).to.have.members([
      'rate_limited',
      'idempotency_key_in_use',
      'import_running',
      'not_executed',
      'unavailable',
      'outcome_unknown',
    ])
    for (const code of waiting)
      expect(new Refusal(code, literalMessage('x')).headers['Retry-After']).to.match(/^[1-9]\d*$/)
    expect(
      new Refusal('rate_limited', literalMessage('x'), { headers: { 'Retry-After': '7' } }).headers,
    ).to.deep.equal({
      'Retry-After': '7',
    })
    expect(new Refusal('not_found', literalMessage('x')).headers).to.deep.equal({})
  })

  for (const code of codes) {
    it(`use the common error format for ${code}`, () => {
      const { status, title } = REFUSALS[code]
      expect(
        JSON.parse(createProblemBody(new Refusal(code, literalMessage('So it is.')), origin)),
      ).to.deep.equal({
        type: `https://desk.example.com/api/docs/errors#${code}`,
        title,
        status,
        code,
        detail: 'So it is.',
        message: 'So it is.',
        request_id: 'abc',
      })
    })
  }

  it('include additional fields, and the invalid fields of a 422', () => {
    const conflict = { bookable_id: 1, from: 'a', to: null }
    const alternatives = [{ id: 2, name: 'Desk 2' }]
    const members = { conflict, alternatives }
    const body = JSON.parse(
      createProblemBody(new Refusal('booking_conflict', literalMessage('Taken.'), { members }), origin),
    )
    expect(body).to.deep.include(members)
    expect(body).to.not.have.property('errors')
    expect(
      JSON.parse(createProblemBody(invalidFields({ to: [literalMessage('to is required.')] }), origin))
        .errors,
    ).to.deep.equal({
      to: ['to is required.'],
    })
  })

  it('list only the first invalid fields, each only once, and count the remaining ones', () => {
    expect(invalidFields({ to: [literalMessage('to is required.')] })).to.include({
      code: 'validation_failed',
      message: 'to is required.',
    })
    const from = message`${fieldName('from')} is required.`
    const [odd, long, red] = [
      literalMessage('a is odd.'),
      literalMessage('a is long.'),
      literalMessage('b is red.'),
    ]
    expect(invalidFields({ from: [from], to: [literalMessage('to is required.')] }).message).to.equal(
      'from is required. to is required.',
    )
    expect(invalidFields({ a: [odd, odd], b: [odd] }).message).to.equal('a is odd.')
    expect(invalidFields({ a: [odd, long], b: [red], from: [from] }).message).to.equal(
      'a is odd. a is long. b is red. There is 1 more error.',
    )
    expect(invalidFields({}).message).to.equal(REFUSALS.validation_failed.explanation)
  })
})
