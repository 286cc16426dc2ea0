// The pages of places: buildings, locations, bookables, and the map.
import type { Page } from '../framework/page.ts'
import { arrange } from '../map/arrange.ts'
import { map } from '../map/map.ts'
import { addBookables } from './bookables/add-bookables.ts'
import { assignBookable } from './bookables/assign-bookable.ts'
import { bookable } from './bookables/bookable.ts'
import { deleteBookables } from './bookables/delete-bookables.ts'
import { building } from './buildings/building.ts'
import { deleteBuilding } from './buildings/delete-building.ts'
import { newBuilding } from './buildings/new-building.ts'
import { deleteLocation } from './locations/delete-location.ts'
import { location } from './locations/location.ts'
import { newLocation } from './locations/new-location.ts'
import { places } from './places.ts'

export const placePages: Page[] = [
  places,
  newBuilding,
  building,
  deleteBuilding,
  newLocation,
  location,
  addBookables,
  arrange,
  deleteLocation,
  deleteBookables,
  bookable,
  assignBookable,
  map,
]
