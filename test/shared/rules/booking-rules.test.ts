// Checks that each rule of a place is declared once, with all its properties.
import { expect } from 'chai'
import { ROOM_RULE_REFUSALS, RULE_REFUSALS } from '../../../shared/messages/refusal-kinds.ts'
import { BOOKING_RULES, CLOSED_TIMES_RULE } from '../../../shared/rules/booking-rules.ts'
import { rulesSchema } from '../../../shared/rules/rules.ts'

describe('the definitions of booking rules', () => {
  const rules = Object.values(BOOKING_RULES)

  it('define every refusal exactly once', () => {
    const checks = rules.flatMap((rule) => ('check' in rule ? [rule.refusal] : []))
    const counts = rules.flatMap((rule) => ('checkCounts' in rule ? [rule.refusal] : []))
    expect([CLOSED_TIMES_RULE.refusal, ...checks]).to.have.members(ROOM_RULE_REFUSALS)
    expect([CLOSED_TIMES_RULE.refusal, ...checks, 'user_away', ...counts]).to.have.members(RULE_REFUSALS)
  })

  it('describe each field of a rule for the OpenAPI document', () => {
    for (const [name, { schema }] of Object.entries(BOOKING_RULES))
      expect(schema.spec.meta?.description, name).to.match(/^[A-Z].+\.$/)
  })

  // Comparing a value of the wrong type could call its methods.
  it('refuse a field of the wrong type or a list that is too long, even if they are compared with other fields', async () => {
    const hostile = [{ toString: 1 }]
    const rejected = (rules: object) =>
      rulesSchema.validate(rules, { abortEarly: false }).then(
        () => [],
        ({ name, inner = [] }) => [name, ...inner.map(({ path }: { path: string }) => path)],
      )
    expect(await rejected({ minutes_min: hostile, minutes_max: 60 })).to.deep.equal([
      'ValidationError',
      'minutes_min',
    ])
    const ids = Array.from({ length: 101 }, (_, index) => index + 1)
    expect(await rejected({ approvers: { user_ids: [1], group_ids: ids } })).to.deep.equal([
      'ValidationError',
      'approvers.group_ids',
    ])
    expect(await rejected({ book_for_others: { group_ids: ids } })).to.deep.equal([
      'ValidationError',
      'book_for_others.group_ids',
    ])
    const opening_hours = [{ day: 1, from: hostile, to: '18:00' }]
    expect(await rejected({ opening_hours })).to.deep.equal(['ValidationError', 'opening_hours[0].from'])
  })
})
