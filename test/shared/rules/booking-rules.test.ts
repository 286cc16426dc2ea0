// Each rule of a place is declared once, with everything that the rest of Berth needs of it.
import { expect } from 'chai'
import { ROOM_RULE_REFUSALS, RULE_REFUSALS } from '../../../shared/messages/refusal-kinds.ts'
import { BOOKING_RULES, CLOSED } from '../../../shared/rules/booking-rules.ts'
import { rulesSchema } from '../../../shared/rules/rules.ts'

describe('the rules of a place', () => {
  const rules = Object.values(BOOKING_RULES)

  it('declare every refusal of a rule once', () => {
    const checks = rules.flatMap((rule) => ('check' in rule ? [rule.refusal] : []))
    const counts = rules.flatMap((rule) => ('checkCounts' in rule ? [rule.refusal] : []))
    expect([CLOSED.refusal, ...checks]).to.have.members(ROOM_RULE_REFUSALS)
    expect([CLOSED.refusal, ...checks, ...counts]).to.have.members(RULE_REFUSALS)
  })

  it('describe each field for the OpenAPI document', () => {
    for (const [name, { schema }] of Object.entries(BOOKING_RULES))
      expect(schema.spec.meta?.description, name).to.match(/^[A-Z].+\.$/)
  })

  // A comparison would call the methods of such a value.
  it('refuse a value of another kind, also where another field is compared with it', async () => {
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
    const opening_hours = [{ day: 1, from: hostile, to: '18:00' }]
    expect(await rejected({ opening_hours })).to.deep.equal(['ValidationError', 'opening_hours[0].from'])
  })
})
