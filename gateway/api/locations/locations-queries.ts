// The query for a location.

import { locationInBuildingJson } from '../../../shared/locations/locations-shape.ts'
import { selectData } from '../../../shared/schemas/json.ts'

export const locationById = {
  name: 'find-location',
  text: selectData(
    locationInBuildingJson('locations', 'buildings'),
    'locations JOIN buildings ON buildings.id = locations.building_id WHERE locations.id = $1',
  ),
}
