// Buildings: what the API says of them.
import * as yup from 'yup'
import { idAnswer, listAnswer, textAnswer } from './answers.ts'
import { locationSchema } from './locations.ts'

export const buildingSchema = yup
  .object({
    id: idAnswer(),
    name: textAnswer(),
    address: textAnswer(),
    locations: listAnswer(locationSchema),
  })
  .meta({ component: 'Building' })
