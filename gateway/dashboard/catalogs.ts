// What each language says, put together from the catalogs of the parts, and of the messages that are told everywhere. English is
// in the sources themselves.
import { messageCatalogs } from '../../shared/messages/catalogs.ts'
import type { Language } from '../../shared/messages/languages.ts'
import { german as account } from './account/german.ts'
import { german as administrators } from './administrators/german.ts'
import { german as api } from './api/german.ts'
import { german as auditLog } from './audit-log/german.ts'
import { german as auditLogSentences } from './audit-log/sentences-german.ts'
import { german as bookings } from './bookings/german.ts'
import { german as calendars } from './calendars/german.ts'
import { german as day } from './day/german.ts'
import { german as events } from './events/german.ts'
import { german as find } from './find/german.ts'
import { german as framework } from './framework/german.ts'
import { german as imports } from './imports/german.ts'
import type { Catalog } from './language/translate.ts'
import { german as map } from './map/german.ts'
import { german as people } from './people/german.ts'
import { german as placesBookables } from './places/bookables/german.ts'
import { german as placesBuildings } from './places/buildings/german.ts'
import { german as places } from './places/german.ts'
import { german as placesImports } from './places/imports/german.ts'
import { german as placesInTheWay } from './places/in-the-way/german.ts'
import { german as placesLocations } from './places/locations/german.ts'
import { german as placesRules } from './places/rules/german.ts'
import { german as queues } from './queues/german.ts'
import { german as reports } from './reports/german.ts'
import { german as search } from './search/german.ts'
import { german as time } from './time/german.ts'
import { german as today } from './today/german.ts'
import { german as tokens } from './tokens/german.ts'
import { german as ui } from './ui/german.ts'
import { german as uiWords } from './ui/words-german.ts'
import { german as webhooks } from './webhooks/german.ts'

export const catalogs: Record<Language, Catalog> = {
  en: {},
  de: {
    ...messageCatalogs.de,
    ...account,
    ...administrators,
    ...api,
    ...auditLog,
    ...auditLogSentences,
    ...bookings,
    ...calendars,
    ...day,
    ...events,
    ...find,
    ...framework,
    ...imports,
    ...map,
    ...people,
    ...places,
    ...placesBookables,
    ...placesBuildings,
    ...placesImports,
    ...placesInTheWay,
    ...placesLocations,
    ...placesRules,
    ...queues,
    ...reports,
    ...search,
    ...time,
    ...today,
    ...tokens,
    ...ui,
    ...uiWords,
    ...webhooks,
  },
}
