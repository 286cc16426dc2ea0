// Queries for the rules of buildings, locations and bookables.

import { placeRulesJson, type RulePlace, ruleRows } from '../../../shared/rules/rules-shape.ts'
import { selectData } from '../../../shared/schemas/json.ts'
import type { Statement } from '../../http/listing.ts'

/** SQL: the row of the place $1, with the places around it. */
export const thePlace = (place: RulePlace) =>
  `${ruleRows(place)} WHERE ${place}.id = $1 ${place === 'bookables' ? 'AND bookables.deleted_at IS NULL' : ''}`

export const rulesOf = (place: RulePlace): Statement => ({
  name: `find-rules-of-${place}`,
  text: selectData(placeRulesJson(place), thePlace(place)),
})
