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
      description: 'What is set there, what holds there, and which place says so.',
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
        'Replaces all of them: an absent field is inherited from the place above, null says that nothing holds here. They hold for bookings that come after.',
      body: rulesSchema,
      job: `${place}.set-rules`,
      input: ({ params, body }) => ({ id: params.id, rules: body }),
    }),
  })
})
