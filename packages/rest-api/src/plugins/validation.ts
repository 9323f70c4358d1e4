import { isUtf8 } from 'node:buffer';
import { Readable } from 'node:stream';
import { isDeepStrictEqual } from 'node:util';
import { storable } from '@aizuchi/shared/contract/storable';
import { AppError } from '@aizuchi/shared/platform/errors';
import { SerializerSelector } from '@fastify/fast-json-stringify-compiler';
import type { FastifyInstance, FastifySchemaCompiler, FastifySerializerCompiler } from 'fastify';
import { z } from 'zod';

/** More issues do not help the caller, and each repeats what it sent. */
const MAX_ISSUES = 10;

/** Validates requests with the zod schemas of the contract. fastify passes an absent body as null. */
const validate: FastifySchemaCompiler<z.ZodType> = ({ schema, httpPart }) => {
  const behindTheEdge = storable(schema);
  return (data: unknown) => {
    // The handler reads and checks it piece by piece.
    if (httpPart === 'body' && data instanceof Readable) return { value: data };
    const result = behindTheEdge.safeParse(httpPart === 'body' && data === null ? undefined : data);
    return result.success ? { value: result.data } : { error: invalidInput(result.error) };
  };
};

function invalidInput(error: z.ZodError): AppError {
  const issues = error.issues.slice(0, MAX_ISSUES).map((issue) => ({
    path: issue.path.map(String).join('.'),
    message:
      issue.code === 'unrecognized_keys' ? `unknown: ${issue.keys.join(', ').slice(0, 200)}` : issue.message,
    // The page translates this reason into the language of its reader.
    ...(issue.code === 'custom' && issue.params?.reason !== undefined && { reason: issue.params.reason }),
  }));
  const [first] = issues;
  const where = first?.path ? `${first.path}: ` : '';
  return new AppError('invalid_input', `Not valid: ${where}${first?.message ?? 'the request'}.`, {
    details: { issues },
  });
}

export interface SerializerOptions {
  /** For tests: a response that does not match its schema, or that has more fields than it, is an error. */
  readonly checkResponses: boolean;
}

type Response = Parameters<FastifySerializerCompiler<z.ZodType>>[0];

const compile = SerializerSelector()();

/** Responses are serialized by functions compiled from the schemas, so only fields of the contract are sent. */
export function serializerOf({ schema, method, url, httpStatus }: Response): (data: unknown) => string {
  const jsonSchema = z.toJSONSchema(schema, { io: 'output', target: 'draft-7' });
  return compile({ schema: jsonSchema, method, url, httpStatus: httpStatus ?? 'default' });
}

function createSerializer(options: SerializerOptions): FastifySerializerCompiler<z.ZodType> {
  return (response) => {
    const { schema, method, url } = response;
    // 204: in the document, never written.
    if (schema instanceof z.ZodUndefined) return () => '';
    // Compiled for the first response: all of them together take some 0.3 s of a start.
    let compiled: ReturnType<typeof serializerOf> | undefined;
    const stringify = (data: unknown) => {
      compiled ??= serializerOf(response);
      return compiled(data);
    };
    if (!options.checkResponses) return stringify;
    return (data) => {
      const text = stringify(data);
      const plain = asJson(data);
      if (
        !isDeepStrictEqual(plain, JSON.parse(text)) ||
        !isDeepStrictEqual(plain, asJson(schema.parse(data)))
      ) {
        throw new Error(`${method} ${url} answered what its schema does not describe`);
      }
      return text;
    };
  };
}

function asJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

export function addSchemaCompilers(app: FastifyInstance, options: SerializerOptions): void {
  app.setValidatorCompiler(validate);
  app.setSerializerCompiler(createSerializer(options));
}

/** Accepts JSON bodies only. A POST without a body needs no content type, and may send one. */
export function addBodyParser(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    const bytes = Buffer.from(body);
    if (bytes.length === 0) done(null, undefined);
    // Decoding would replace the invalid bytes, and the stored text would differ from what the person wrote.
    else if (!isUtf8(bytes)) done(new AppError('invalid_input', 'The body is not UTF-8.'));
    else parse(request, bytes.toString('utf8'), done);
  });
}
