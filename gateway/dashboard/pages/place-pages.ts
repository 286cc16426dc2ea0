// The pages of places: buildings, locations, bookables, and the map.
import type { Page } from '../page.ts'
import { map } from './map.ts'
import { addBookables } from './places/add-bookables.ts'
import { arrange } from './places/arrange.ts'
import { assignBookable } from './places/assign-bookable.ts'
import { bookable } from './places/bookable.ts'
import { building } from './places/building.ts'
import { deleteBookables } from './places/delete-bookables.ts'
import { deleteBuilding } from './places/delete-building.ts'
import { deleteLocation } from './places/delete-location.ts'
import { location } from './places/location.ts'
import { newBuilding } from './places/new-building.ts'
import { newLocation } from './places/new-location.ts'
import { places } from './places/places.ts'

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
