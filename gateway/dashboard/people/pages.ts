// The pages about people, as the table of contents takes them.
import type { Page } from '../framework/page.ts'
import { importPeople } from '../imports/import-people.ts'
import { reviewImport } from '../imports/review-import.ts'
import { deactivatePerson } from './deactivate-person.ts'
import { deactivatedPeople, releaseAll, releasePerson } from './deactivated-people.ts'
import { editPerson } from './edit-person.ts'
import { groups } from './groups.ts'
import { newPerson } from './new-person.ts'
import { people } from './people.ts'
import { person } from './person.ts'

export const peoplePages: Page[] = [
  people,
  newPerson,
  groups,
  deactivatedPeople,
  releaseAll,
  importPeople,
  reviewImport,
  person,
  editPerson,
  deactivatePerson,
  releasePerson,
]
