// What the pages about a location and about its bookables share: how it is found, and what is above them.
import { backPath } from '../kit/back.ts'
import type { Breadcrumbs } from '../kit/page.ts'
import { t } from '../locales/translate.ts'
import { resource } from '../ui/declared-pages.ts'
import type { Option } from '../ui/fields.ts'
import { findLocation, type LocationRow, missingLocation } from './location-queries.ts'

/** `buildings`: those that it can be in, for a form that moves it. */
export type LocationOfForm = LocationRow & { buildings?: Option[] }

export const locationPages = resource({
  path: '/places/locations/{id}',
  section: 'Places',
  missing: missingLocation,
  find: ({ reads, params }): Promise<LocationOfForm | undefined> => findLocation(reads, params.id),
  above: ({ building, buildingId }, call) => [
    [t`Places`, backPath(call, '/places')],
    [building, `/places/buildings/${buildingId}`],
  ],
  nameOf: ({ name }) => name,
})

/** The pages above one about things of a location. `path` leads back to their list. */
export function locationBreadcrumbs(
  { id, name, building, buildingId }: Pick<LocationRow, 'id' | 'name' | 'building' | 'buildingId'>,
  path = `/places/locations/${id}`,
): Breadcrumbs {
  return [
    [t`Places`, '/places'],
    [building, `/places/buildings/${buildingId}`],
    [name, path],
  ]
}
