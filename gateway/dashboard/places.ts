// The pages of places: buildings, locations, bookables, and the map.
import type { Page } from './page.ts'
import { map } from './pages/map.ts'
import { addBookables } from './pages/places/add-bookables.ts'
import { arrange } from './pages/places/arrange.ts'
import { assignBookable } from './pages/places/assign-bookable.ts'
import { bookable } from './pages/places/bookable.ts'
import { building } from './pages/places/building.ts'
import { deleteBookables } from './pages/places/delete-bookables.ts'
import { deleteBuilding } from './pages/places/delete-building.ts'
import { deleteLocation } from './pages/places/delete-location.ts'
import { location } from './pages/places/location.ts'
import { newBuilding } from './pages/places/new-building.ts'
import { newLocation } from './pages/places/new-location.ts'
import { places } from './pages/places/places.ts'

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
