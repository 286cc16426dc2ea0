// The API endpoints for the rules of buildings, locations and bookables.
import { MISSING_PLACE_MESSAGES } from '../../../../shared/messages/message.ts'
import { placeRulesSchema, rulesSchema } from '../../../../shared/rules/rules.ts'
import { placeRulesJson, placeWithIdSql } from '../../../../shared/rules/rules-shape.ts'
import { selectDataBodySql } from '../../../../shared/schemas/json.ts'
import {
  declareReadEndpoint,
  declareResourceEndpoints,
  declareWriteEndpoint,
} from '../../../server/http/endpoint.ts'

const PLACE_KINDS = [
  ['buildings', 'Building'],
  ['locations', 'Location'],
  ['bookables', 'Bookable'],
] as const

export const ruleEndpoints = PLACE_KINDS.flatMap(([place, noun]) => {
  const path = `/${place}/{id}/rules` as const
  return declareResourceEndpoints({ tag: 'Rules', ability: 'read', missing: MISSING_PLACE_MESSAGES[place] })({
    [`get${noun}Rules`]: declareReadEndpoint(path, {
      personal: 'own',
      summary: `Get the rules of a ${noun.toLowerCase()}`,
      description:
        'Returns the rules set at this place, the rules in force, and the place that sets each of them.',
      answer: placeRulesSchema,
      statement: {
        name: `find-rules-of-${place}`,
        text: selectDataBodySql(placeRulesJson(place), placeWithIdSql(place)),
      },
    }),
    [`replace${noun}Rules`]: declareWriteEndpoint(`PUT ${path}`, {
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
