// The rules of buildings, locations and bookables over HTTP.
import { MISSING_PLACE } from '../../../../shared/messages/message.ts'
import { placeRulesSchema, rulesSchema } from '../../../../shared/rules/rules.ts'
import { placeRulesJson, thePlace } from '../../../../shared/rules/rules-shape.ts'
import { selectData } from '../../../../shared/schemas/json.ts'
import { read, resource, write } from '../../../server/http/endpoint.ts'

const PLACES = [
  ['buildings', 'Building'],
  ['locations', 'Location'],
  ['bookables', 'Bookable'],
] as const

export const rules = PLACES.flatMap(([place, noun]) => {
  const path = `/${place}/{id}/rules` as const
  return resource({ tag: 'Rules', ability: 'read', missing: MISSING_PLACE[place] })({
    [`get${noun}Rules`]: read(path, {
      personal: 'own',
      summary: `Get the rules of a ${noun.toLowerCase()}`,
      description:
        'Returns the rules set at this place, the rules in force, and the place that sets each of them.',
      answer: placeRulesSchema,
      statement: {
        name: `find-rules-of-${place}`,
        text: selectData(placeRulesJson(place), thePlace(place)),
      },
    }),
    [`replace${noun}Rules`]: write(`PUT ${path}`, {
      ability: 'object-write',
      summary: `Set the rules of a ${noun.toLowerCase()}`,
      description:
        'Replaces all rules of this place. An omitted field is inherited from the parent place; null turns the rule off. The rules apply to new bookings only.',
      body: rulesSchema,
      job: `${place}.set-rules`,
      input: ({ params, body }) => ({ id: params.id, rules: body }),
    }),
  })
})
