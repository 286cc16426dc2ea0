// What the pages about a location and about its bookables share: how it is found, and what is above them.
import { backPath } from '../kit/back.ts'
import type { Breadcrumbs } from '../kit/page.ts'
import { t } from '../locales/translate.ts'
import { resource } from '../ui/declared-pages.ts'
import type { Option } from '../ui/fields.ts'
import { findLocation, type LocationRow, listBuildingOptions, missingLocation } from './location-queries.ts'

/** With the buildings that it can be in, as options. */
export type LocationInBuildings = LocationRow & { buildings: Option[] }

export const locationPages = resource({
  path: '/places/locations/{id}',
  section: 'Places',
  missing: missingLocation,
  async find({ reads, params }): Promise<LocationInBuildings | undefined> {
    const [found, buildings] = await Promise.all([findLocation(reads, params.id), listBuildingOptions(reads)])
    return found && { ...found, buildings }
  },
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
