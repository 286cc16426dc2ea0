// The rules of buildings, locations and bookables over HTTP.

import { MISSING_PLACE } from '../../../shared/messages/missing.ts'
import { placeRulesSchema, rulesSchema } from '../../../shared/rules/rules.ts'
import type { RulePlace } from '../../../shared/rules/rules-shape.ts'
import { dataAnswer } from '../../../shared/schemas/answers.ts'
import { object, pathId } from '../../../shared/schemas/fields.ts'
import { read, write } from '../../http/kit/endpoint.ts'
import { findRules } from './rules-queries.ts'

const NOUNS = { buildings: 'building', locations: 'location', bookables: 'bookable' } as const
const tag = 'Rules'
const params = object({ id: pathId() })

export const rules = (['buildings', 'locations', 'bookables'] as const).flatMap((place) => {
  const noun = NOUNS[place]
  const common = {
    path: `/${place}/{id}/rules`,
    tag,
    params,
    missing: MISSING_PLACE[place],
  }
  return [
    read({
      ...common,
      name: nameOf('get', place),
      ability: 'read',
      summary: `Get the rules of a ${noun}`,
      description: 'What is set there, what holds there, and which place says so.',
      answer: dataAnswer(placeRulesSchema),
      find: (call, { pointReads }) => findRules(pointReads, place, call.params.id),
    }),
    write({
      ...common,
      method: 'PUT',
      name: nameOf('replace', place),
      ability: 'object-write',
      summary: `Set the rules of a ${noun}`,
      description:
        'Replaces all of them: an absent field is inherited from the place above, null says that nothing holds here. They hold for bookings that come after.',
      body: rulesSchema,
      job: `${place}.set-rules`,
      input: (call) => ({ id: call.params.id, rules: call.body }),
    }),
  ]
})

function nameOf(verb: string, place: RulePlace): string {
  const noun = NOUNS[place]
  return `${verb}${noun[0]?.toUpperCase()}${noun.slice(1)}Rules`
}
