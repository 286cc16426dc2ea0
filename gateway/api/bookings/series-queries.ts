// The query for a series.

import { writtenBookingJson, writtenBookingRows } from '../../../shared/bookings/bookings-shape.ts'
import type { Series } from '../../../shared/bookings/series.ts'
import {
  dataText,
  json,
  listJson,
  number,
  objectJson,
  selectJson,
  text,
} from '../../../shared/schemas/json.ts'
import { type Database, findText } from '../../http/statement.ts'

const byId = {
  name: 'find-series',
  text: `
    SELECT ${dataText(
      objectJson<Series>({
        id: number('series.id'),
        timezone: text('series.timezone'),
        repeat: json('series.repeat'),
        bookings: selectJson(
          listJson(writtenBookingJson('$2'), 'lower(bookings.during), bookings.id'),
          `FROM ${writtenBookingRows} WHERE bookings.series_id = $1`,
        ),
      }),
    )} AS body
    FROM series
    WHERE series.id = $1`,
}

export function findSeries(database: Database, id: number, baseUrl: string): Promise<string | undefined> {
  return findText(database, byId, [id, baseUrl])
}
