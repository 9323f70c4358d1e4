import type { CreateElicitationRequest } from '@agentclientprotocol/sdk';
import { z } from 'zod';

export interface Choice {
  readonly value: string;
  readonly label: string;
  readonly description: string;
}

/** A property of a form that a person is asked for. */
export interface FormField {
  readonly key: string;
  readonly kind: 'choice' | 'choices' | 'boolean' | 'number' | 'text';
  readonly title: string;
  readonly description: string;
  readonly isRequired: boolean;
  /** Of `choice` and `choices`. */
  readonly choices: readonly Choice[];
  /** The property for an answer of the person's own, beside the choices. */
  readonly ownAnswerKey?: string;
}

export interface Form {
  readonly message: string;
  readonly fields: readonly FormField[];
}

const text = z.string().nullish();
const optionSchema = z.object({ const: z.string(), title: text, description: text });
const choicesSchema = z
  .object({
    enum: z.array(z.string()).nullish(),
    oneOf: z.array(optionSchema).nullish(),
    anyOf: z.array(optionSchema).nullish(),
  })
  .transform(({ enum: values, oneOf, anyOf }): Choice[] => {
    const options =
      oneOf ?? anyOf ?? values?.map((value) => ({ const: value, title: value, description: '' }));
    return (options ?? []).map(({ const: value, title, description }) => ({
      value,
      label: title?.trim() || value,
      description: description ?? '',
    }));
  })
  .catch([]);
const propertySchema = z.looseObject({
  type: z.string(),
  title: text,
  description: text,
  items: z.unknown().optional(),
});
const formSchema = z.object({
  mode: z.literal('form'),
  message: z.string().catch(''),
  requestedSchema: z.object({
    properties: z.record(z.string(), propertySchema).catch({}),
    required: z.array(z.string()).nullish().catch(undefined),
  }),
});

const OWN_ANSWER = '_custom';

/** Undefined: it is no form that a person could fill in here. */
export function formOf(request: CreateElicitationRequest): Form | undefined {
  const { data } = formSchema.safeParse(request);
  if (!data) return undefined;
  const { properties, required } = data.requestedSchema;
  const has = (key: string) => Object.hasOwn(properties, key);
  const isOwnAnswer = (key: string) => key.endsWith(OWN_ANSWER) && has(key.slice(0, -OWN_ANSWER.length));
  const fields = Object.entries(properties)
    .filter(([key]) => !isOwnAnswer(key))
    .map(([key, property]): FormField => {
      const choices = choicesSchema.parse(property.type === 'array' ? property.items : property);
      return {
        key,
        kind: kindOf(property.type, choices),
        title: property.title?.trim() ?? '',
        description: property.description?.trim() ?? '',
        isRequired: required?.includes(key) ?? false,
        choices,
        ...(has(`${key}${OWN_ANSWER}`) && { ownAnswerKey: `${key}${OWN_ANSWER}` }),
      };
    });
  return fields.length > 0 ? { message: data.message.trim(), fields } : undefined;
}

function kindOf(type: string, choices: readonly Choice[]): FormField['kind'] {
  if (type === 'array') return 'choices';
  if (type === 'boolean') return 'boolean';
  if (choices.length > 0) return 'choice';
  return type === 'number' || type === 'integer' ? 'number' : 'text';
}
