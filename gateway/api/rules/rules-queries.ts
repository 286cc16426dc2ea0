// Queries for the rules of buildings, locations and bookables.

import { placeRulesJson, type RulePlace, ruleRows } from '../../../shared/rules/rules-shape.ts'
import { dataText } from '../../../shared/schemas/json.ts'
import { type Database, findText, type Statement } from '../../http/statement.ts'

const statements: Record<RulePlace, Statement> = {
  buildings: prepare('buildings'),
  locations: prepare('locations'),
  bookables: prepare('bookables', 'AND bookables.deleted_at IS NULL'),
}

export function findRules(database: Database, place: RulePlace, id: number): Promise<string | undefined> {
  return findText(database, statements[place], [id])
}

function prepare(place: RulePlace, condition = ''): Statement {
  return {
    name: `find-rules-of-${place}`,
    text: `SELECT ${dataText(placeRulesJson(place))} AS body FROM ${ruleRows(place)} WHERE ${place}.id = $1 ${condition}`,
  }
}
