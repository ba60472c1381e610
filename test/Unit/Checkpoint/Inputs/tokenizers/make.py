#!/usr/bin/env python3
"""make.py: writes the folders beside it, small tokenizers of each family with what the library makes of texts and chats.

Needs `pip install tokenizers jinja2` (made with tokenizers 0.23.3, Jinja2 3.1.6). Everything is trained on the text below.
"""
import base64
import json
import os
import random

import jinja2
import jinja2.ext
from jinja2.sandbox import ImmutableSandboxedEnvironment
from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, trainers

HERE = os.path.dirname(os.path.abspath(__file__))
CONTRACTIONS = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|"
REST = r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
LLAMA3 = CONTRACTIONS + r"\p{N}{1,3}" + REST
QWEN2 = CONTRACTIONS + r"\p{N}" + REST
CORPUS = """The cat reads the words of the small book. It was a dark and stormy night, and the rain fell in torrents.
    if (x < 10) {\n        return x + 1;\n    }\n\n\nDie Katze liest die Wörter. Le chat lit les mots, l'été. Кошка читает слова.
They're here; we've seen it's 123 and 4567. user system assistant tool\nName: value, answer. 猫は本を読みます。 我们喜欢新的语言。
def f(x):\n\treturn x\n\n(define (square x) (* x x)) <table> the other their there where when what who """
TEXTS = [
    "", " ", "  ", "   ", "\t", "\n", "\n\n\n", "\r\n\r\n", " \n", "  \n  \n", "a  b   c", "trailing  ", "\u00a0\u3000x", "a\u0085b",
    "a\u180eb", "\x1c\x1f", "Hello world", "I'm you're HE'D SHE'LL it\u2019s", "it'\u017f the long s", "It's 12345 and 3.14",
    "x\u00b2 \u00bd \u2163 \u0663\u0664", "12ab34", "!!!\n", "--flag=value", "the cat reads the words of the book",
    "if (x < 10) {\n        return x;\n    }\n", "Die Stra\u00dfe ist gr\u00f6\u00dfer.", "L'\u00e9t\u00e9, \u00e7a", "\u041a\u043e\u0448\u043a\u0430",
    "\u732b\u306f\u672c\u3092", "\ud55c\uad6d\uc5b4", "e\u0301 A\u030a \u212b \u2126", "a\u0323\u0307 a\u0307\u0323", "\u1112\u1161\u11ab\u1100\u116e",
    "\u0958 \u0915\u093c \u0344", "x\u0301\u0302\u0303y", "\u1e9b\u0323", "\U0001f600\U0001f469\u200d\U0001f680", "\x00a\x7f\ufffd",
    "\U0010ffff", "<|im_start|>user\nHi<|im_end|>\n", " <|im_end|> ", "<|im_end", "a<|endoftext|>b", "<s>hi</s>", "<bos>x<eos>",
    "\u2581a\u2581\u2581b", "<0x0A>", "unknownword zyzzyva Hippopotamus", "a" * 70, "\n" * 12 + " " * 20,
    " <mask> x", "x  <mask>", "<left> a <left>b", "a <left>  <right>  b", "<right> \t x<right>y", "word words sword word", "a word.word_",
    "caf\u00e9word word\u0301", "B\u00e4r b\u00e4r Ba\u0308r", "two  words", "two words", "A b <|x y|>",
    "\ufb01ne \u2460\u00b2 \uff21\uff22 \u32c0 \u30ac\u1e9b\u0323", "\u0130I\u0131 \u03a3\u0391\u03a3 \u1e9e \u01c5 \U00010400", "\ufdfa", "Caf\u00c9  NA\u00cfVE e\u0301\u0323",
    "  lead", "\t\nlead", "x-y - z--w", "$5.00 (a+b) ^_^ \u00bfqu\u00e9? \u300c\u732b\u300d", "ab12345cd \u00b2\u00b3 1\u00bd", "a\u2028b\u2003c", "<s>  x", "x<s>y <s> z",
]
INVALID = [b"\xff", b"a\x80b", b"\xe2\x82", b"\xf0\x9f\x98y", b"\xed\xa0\x80", b"\xc0\xaf"]

SMOLLM_CHAT = """{% if messages[0]['role'] != 'system' %}
<|im_start|>system
You are a small test model.<|im_end|>
{% endif %}
{% for m in messages %}
    {# every turn #}
<|im_start|>{{ m['role'] }}
{{ m['content'] }}<|im_end|>
{% endfor %}
{% if add_generation_prompt %}
<|im_start|>assistant
{% endif %}
"""
LLAMA3_CHAT = """{{- bos_token }}
{%- set close = '<|end_header_id|>\\n\\n' %}
{%- if date_string is defined and date_string %}
    {{- '<|start_header_id|>system' + close + 'Date: ' + date_string + '<|eot_id|>' }}
{%- endif %}
{%- for message in messages %}
    {%- if message['role'] not in ['system', 'user', 'assistant'] %}
        {{- raise_exception('unknown role ' + message['role']) }}
    {%- endif %}
    {{- '<|start_header_id|>' + message['role'] + close }}
    {{- message['content'] | trim + '<|eot_id|>' }}
{%- endfor %}
{{- '<|start_header_id|>assistant' + close if add_generation_prompt else '' }}
"""
QWEN_CHAT = """{%- set begin, end = '<|im_start|>', '<|im_end|>\\n' %}
{%- set ns = namespace(question=-1, system='') %}
{%- for message in messages %}
    {%- if message.role == 'user' %}
        {%- set ns.question = loop.index0 %}
    {%- endif %}
{%- endfor %}
{%- if tools %}
    {%- for tool in tools %}
        {{- '\\n' ~ (tool | tojson) }}
    {%- endfor %}
{%- endif %}
{%- for message in messages %}
    {%- set text = message.content if message.content is string else '' %}
    {%- if message.role == 'assistant' %}
        {%- set pieces = text.split('</think>') %}
        {%- set answer = pieces[-1].lstrip('\\n') %}
        {{- begin ~ message.role ~ '\\n' }}
        {%- if loop.index0 > ns.question and pieces | length > 1 %}
            {{- '<think>' + pieces[0].split('<think>')[-1].strip() + '</think>' }}
        {%- endif %}
        {{- answer }}
        {%- for call in message.tool_calls or [] %}
            {%- set f = call.function or call %}
            {{- ('\\n' if answer or not loop.first else '') + f.name + ': ' + (f.arguments | tojson) }}
        {%- endfor %}
        {{- end }}
    {%- else %}
        {{- begin ~ message.role ~ '\\n' ~ text ~ end }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- begin ~ 'assistant\\n' }}
{%- endif %}
"""
GEMMA_CHAT = """{{- bos_token -}}
{%- set ns = namespace(before='', turns=messages) -%}
{%- if messages[0]['role'] == 'system' -%}
    {%- set ns.before = messages[0]['content'] + '\\n\\n' -%}
    {%- set ns.turns = messages[1:] -%}
{%- endif -%}
{%- for turn in ns.turns -%}
    {%- if turn['role'] != ('user' if loop.index0 % 2 == 0 else 'assistant') -%}
        {{- raise_exception('turns must alternate') -}}
    {%- endif -%}
    {{- '<start_of_turn>' + turn['role'] | replace('assistant', 'model') + '\\n' -}}
    {%- if loop.first -%}
        {{- ns.before -}}
    {%- endif -%}
    {%- if turn['content'] is string -%}
        {{- turn['content'] | trim -}}
    {%- else -%}
        {%- for part in turn['content'] if part['type'] == 'text' -%}
            {{- part['text'] | trim -}}
        {%- endfor -%}
    {%- endif -%}
    {{- '<end_of_turn>\\n' -}}
{%- endfor -%}
"""


def added(content, id, special=True, **flags):
    return {"id": id, "content": content, "single_word": False, "lstrip": False, "rstrip": False, "normalized": False,
            "special": special, **flags}


def byte_level(use_regex):
    return {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": use_regex}


def split(regex):
    return {"type": "Split", "pattern": {"Regex": regex}, "behavior": "Isolated", "invert": False}


def template(name, id):
    return {"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": name, "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
            "pair": [], "special_tokens": {name: {"id": name, "ids": [id], "tokens": [name]}}}


def train(pre, size, normalizer=None, specials=(), alphabet=True):
    tok = Tokenizer(models.BPE())
    tok.pre_tokenizer = pre
    if normalizer:
        tok.normalizer = normalizer
    initial = pre_tokenizers.ByteLevel.alphabet() if alphabet else []
    tok.train_from_iterator([CORPUS], trainers.BpeTrainer(vocab_size=size, initial_alphabet=initial,
                                                          special_tokens=list(specials), show_progress=False))
    model = json.loads(tok.to_str())["model"]
    return dict(sorted(model["vocab"].items(), key=lambda kv: kv[1])), [tuple(m) for m in model["merges"]]


def regex_bytes(regex):
    return pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(regex), behavior="isolated"),
                                    pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])


class Generation(jinja2.ext.Extension):
    """{% generation %} ... {% endgeneration %}, as transformers has it for training: renders what is inside."""
    tags = {"generation"}

    def parse(self, parser):
        line = next(parser.stream).lineno
        body = parser.parse_statements(["name:endgeneration"], drop_needle=True)
        return jinja2.nodes.CallBlock(self.call_method("render"), [], [], body).set_lineno(line)

    def render(self, caller):
        return caller()


def environment():
    env = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[Generation, jinja2.ext.loopcontrols])

    def raise_exception(message):
        raise jinja2.exceptions.TemplateError(message)
    env.filters["tojson"] = lambda value, ensure_ascii=False, indent=None, separators=None, sort_keys=False: json.dumps(
        value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)
    env.globals["strftime_now"] = lambda format: "?"
    env.globals["raise_exception"] = raise_exception
    return env


def turn(role, content, **more):
    return {"role": role, "content": content, **more}


def chats(family):
    go = {"add_generation_prompt": True}
    yield [turn("user", "Hello!")], go
    yield [turn("system", "Be brief.\nBe kind."), turn("user", "  Hi \n"), turn("assistant", "Hello!\n"), turn("user", "\n\tx")], go
    yield [turn("user", "2+2?"), turn("assistant", "4")], {"add_generation_prompt": False}
    if family == "llama3":
        yield [turn("user", "Which day?")], {**go, "date_string": "26 Jul 2030"}
    if family == "gemma":
        yield [turn("user", [{"type": "text", "text": " One. "}, {"type": "image"}, {"type": "text", "text": "Two."}])], go
    if family == "qwen":
        tool = {"name": "get_temp", "description": "a < b & c's \u00e9", "list": [1, 2.5, 1e-7, 1e30, None, True, {}, []]}
        thought = "<think>\nhm\n</think>\n\nA."
        yield [turn("user", "a?"), turn("assistant", thought), turn("user", "b?"), turn("assistant", thought)], {}
        yield [turn("user", "?"), turn("assistant", "", tool_calls=[{"function": {"name": "f", "arguments": {"a": "\"\\\n\u00e9"}}},
                                                                    {"name": "g", "arguments": {}}])], {"tools": [tool, tool]}


def golden(family, tok, chat, bos):
    plain = lambda ids: tok.decode(ids, skip_special_tokens=False)
    skip = lambda ids: tok.decode(ids, skip_special_tokens=True)
    texts = [(t, None) for t in TEXTS] + [(b.decode("utf-8", "replace"), b.hex()) for b in INVALID]
    strings = []
    for text, raw in texts:
        ids = tok.encode(text).ids
        strings.append({"text": text, "ids": ids, "ids_without_special": tok.encode(text, add_special_tokens=False).ids,
                        "decoded": plain(ids), "decoded_skip_special": skip(ids), **({"bytes_hex": raw} if raw else {})})
    rng = random.Random(4)
    size = tok.get_vocab_size()
    lists = [[rng.randrange(size) for _ in range(rng.randrange(1, 12))] for _ in range(12)]
    ids = tok.encode("\U0001f469\u200d\U0001f680 \u65e5\u672c \u00e9 x", add_special_tokens=False).ids
    lists += [ids[:i] for i in range(1, len(ids), 3)] + [ids[i:] for i in range(1, len(ids), 4)]
    decode = [{"ids": ids, "decoded": plain(ids), "decoded_skip_special": skip(ids)} for ids in lists]
    render = lambda messages, arguments: environment().from_string(chat).render(messages=messages, bos_token=bos, **arguments)
    conversations, errors = [], []
    if chat:
        for messages, arguments in chats(family):
            text = render(messages, arguments)
            conversations.append({"name": text[:40], "messages": messages, "arguments": arguments, "text": text,
                                  "ids": tok.encode(text, add_special_tokens=False).ids})
        if "raise_exception" in chat:
            messages = [turn("narrator", "x")]
            try:
                render(messages, {})
            except jinja2.exceptions.TemplateError as error:
                errors.append({"messages": messages, "error": str(error)})
    return {"strings": strings, "decode": decode, "chats": conversations, "chat_errors": errors}


def bpe(vocab, merges, pairs=False, **more):
    return {"type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": None, "end_of_word_suffix": None,
            "fuse_unk": False, "byte_fallback": False, **more, "vocab": vocab, "merges": [list(m) if pairs else " ".join(m) for m in merges]}


def write(family, vocab, merges, added_tokens, chat="", bos=None, decoder=None, normalizer=None, pre=None, post=None, **model):
    save(family, bpe(vocab, merges, **model), added_tokens, decoder or byte_level(True), chat, bos, normalizer, pre, post)


def save(family, model, added_tokens, decoder, chat="", bos=None, normalizer=None, pre=None, post=None):
    folder = os.path.join(HERE, family)
    os.makedirs(folder, exist_ok=True)
    data = {"version": "1.0", "truncation": None, "padding": None, "added_tokens": added_tokens, "normalizer": normalizer,
            "pre_tokenizer": pre, "post_processor": post, "decoder": decoder, "model": model}

    def put(name, value):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(value)
    put("tokenizer.json", json.dumps(data, ensure_ascii=False, separators=(",", ":")) + "\n")
    tok = Tokenizer.from_file(os.path.join(folder, "tokenizer.json"))
    if chat:
        put("tokenizer_config.json", json.dumps({"bos_token": bos, "chat_template": chat}, indent=1) + "\n")
    parts = []
    for key, cases in golden(family, tok, chat, bos).items():
        parts.append(json.dumps(key) + ":[\n" + ",\n".join(json.dumps(c, separators=(",", ":")) for c in cases) + "]")
    put("tokenizer-golden.json", "{" + ",\n".join(parts) + "}\n")


def steps(kind, *all):
    return {"type": "Sequence", kind: list(all)}


def marks(**more):
    return {"type": "Metaspace", "replacement": "\u2581", **more}


def characters(size, normalizer=None, with_bytes=False, names=("<unk>", "<s>", "</s>")):
    """A vocabulary of characters and what they merge to; names first, then perhaps bytes."""
    pieces, merges = train(pre_tokenizers.Metaspace(), size, normalizer, alphabet=False)
    vocab = {t: i for i, t in enumerate([*names, *(f"<0x{b:02X}>" for b in range(256) if with_bytes)])}
    for piece in pieces:
        vocab.setdefault(piece, len(vocab))
    return vocab, merges


def more_kinds():
    """Steps that published tokenizers have beside those of the families above."""
    plain = lambda kind, **more: {"type": kind, **more}
    replace = {"type": "Replace", "pattern": {"String": "\u2581"}, "content": " "}
    # Llama 2 and Mistral as transformers 5 writes them.
    vocab, merges = characters(260, with_bytes=True)
    flags = [added(n, i) for i, n in enumerate(("<unk>", "<s>", "</s>"))]
    write("metaspace", vocab, merges, flags, pre=marks(prepend_scheme="first", split=False), post=template("<s>", 1), pairs=True,
          decoder=steps("decoders", replace, plain("ByteFallback"), plain("Fuse"), plain("Strip", content=" ", start=1, stop=0)),
          unk_token="<unk>", fuse_unk=True, byte_fallback=True)
    # Older: marks before every piece; another decoder; a form for compatibility.
    vocab, merges = characters(260, normalizers.NFKC())
    write("nfkc", vocab, merges, flags, normalizer=plain("NFKC"), pre=marks(str_rep="\u2581", add_prefix_space=True),
          post=plain("BertProcessing", sep=["</s>", 2], cls=["<s>", 1]), decoder=marks(add_prefix_space=True), unk_token="<unk>")
    # Lower case without accents, words and marks apart; `split` never removes text here.
    lower = steps("normalizers", plain("NFD"), plain("Lowercase"), plain("StripAccents"), plain("Strip", strip_left=True, strip_right=True),
                  {"type": "Replace", "pattern": {"Regex": "\\s{2,}|-+"}, "content": " - "})
    vocab, merges = characters(240, normalizers.Sequence([normalizers.NFD(), normalizers.Lowercase(), normalizers.StripAccents()]))
    write("lower", vocab, merges, [*flags, added("Word", len(vocab), False, normalized=True)], normalizer=lower,
          pre=steps("pretokenizers", plain("BertPreTokenizer"), marks(prepend_scheme="always", split=True), plain("FixedLength", length=5)),
          post=plain("RobertaProcessing", sep=["</s>", 2], cls=["<s>", 1], trim_offsets=True, add_prefix_space=False),
          decoder=steps("decoders", plain("ByteFallback"), marks(prepend_scheme="never")), unk_token="<unk>", fuse_unk=True)
    # Falcon's: steps after the one that spells bytes see the spelling, in which some bytes look like digits.
    vocab, merges = train(pre_tokenizers.ByteLevel(), 420)
    write("spelled", vocab, merges, [added("<s>", len(vocab))], normalizer=plain("NFKD"),
          pre=steps("pretokenizers", plain("Punctuation", behavior="Contiguous"), byte_level(True),
                    plain("Digits", individual_digits=False), split("[0-9][0-9][0-9]")), post=byte_level(True))
    # A space before every stretch of text; words, and what is between them, apart.
    write("prefixed", vocab, merges, [added("<s>", len(vocab))],
          pre=steps("pretokenizers", plain("CharDelimiterSplit", delimiter="-"), {**byte_level(True), "add_prefix_space": True}),
          post={**byte_level(True), "add_prefix_space": True})
    vocab, merges = characters(240)
    write("words", vocab, merges, flags, pre=plain("Whitespace"), decoder=steps("decoders", plain("Strip", content="e", start=0, stop=1), plain("Fuse")),
          unk_token="<unk>")


def charsmap(pairs):
    """SentencePiece's form of a table of texts and what replaces them: a double array (CharacterMap.cpp) and the texts."""
    root, texts = {}, b""
    for text, wanted in pairs.items():
        node = root
        for byte in text.encode():
            node = node.setdefault(byte, {})
        node[0] = len(texts)
        texts += wanted.encode() + b"\0"
    units, bases, rest = {0: 0}, set(), [(0, root)]
    while rest:
        at, node = rest.pop()
        base = next(b for b in range(1, 1 << 20) if b not in bases and all(b ^ label not in units for label in node))
        bases.add(base)
        units[at] |= (at ^ base) << 10 | (0 in node) << 8
        for label, below in node.items():
            units[base ^ label] = label if label else 1 << 31 | below
            if label:
                rest.append((base ^ label, below))
    array = b"".join(units.get(i, 0).to_bytes(4, "little") for i in range(max(units) + 256 & ~255))
    return base64.b64encode(len(array).to_bytes(4, "little") + array + texts).decode()


def more_models():
    """Tokens by scores, as of SentencePiece, and by the longest that fits, as of BERT."""
    plain = lambda kind, **more: {"type": kind, **more}
    names = ["<pad>", "</s>", "<unk>"]
    pieces, _ = train(pre_tokenizers.Metaspace(), 200, normalizers.NFKC(), alphabet=False)
    space = dict.fromkeys("\t\n\r\u00a0\u3000\u2028", " ")
    table = {**space, "\u00ad": "", "\ufeff": "", "\ufb01": "fi", "\u2460": "1", "\u00bd": "1\u20442", "\u212b": "\u00c5", "e\u0301": "\u00e9",
             "A\u030a": "\u00c5", "\uff21": "A", "\u0130": "i\u0307", "\U0001f600": ":-)", "\u1e9b\u0323": "\u1e69", "\ufdfa": "\u0635\u0644\u0649 " * 4}
    scores = [[name, 0] for name in names] + [[piece, -2 - i / 16] for i, piece in enumerate(pieces)]
    end = {"type": "TemplateProcessing", "single": [{"Sequence": {"id": "A", "type_id": 0}}, {"SpecialToken": {"id": "</s>", "type_id": 0}}],
           "pair": [], "special_tokens": {"</s>": {"id": "</s>", "ids": [1], "tokens": ["</s>"]}}}
    flags = [added(n, i) for i, n in enumerate(names)]
    save("t5", {"type": "Unigram", "unk_id": 2, "vocab": scores}, flags, marks(prepend_scheme="always", split=True),
         normalizer=plain("Precompiled", precompiled_charsmap=charsmap(table)), post=end,
         pre=steps("pretokenizers", plain("WhitespaceSplit"), marks(prepend_scheme="always", split=True)))
    # Without pieces, with tokens of bytes, a token twice, and one that only unknown characters make; the type is missing.
    replace = {"type": "Replace", "pattern": {"String": "\u2581"}, "content": " "}
    scores = [*scores, *([f"<0x{b:02X}>", 0] for b in range(256) if b != 0xFF), ["the", -1.5], ["\u732b\u306f", -99]]
    save("scores", {"unk_id": 2, "vocab": scores, "byte_fallback": True}, flags,
         steps("decoders", replace, plain("ByteFallback"), plain("Fuse"), plain("Strip", content=" ", start=1, stop=0)),
         normalizer=steps("normalizers", plain("Nmt"), plain("NFKC"), {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "},
                          plain("Prepend", prepend="\u2581"), {**replace, "pattern": {"String": " "}, "content": "\u2581"}))
    names = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    bert = lambda **more: {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True, "strip_accents": None, "lowercase": True, **more}
    for name, normalizer, more, decoder in (
            ("bert", bert(), {}, plain("WordPiece", prefix="##", cleanup=True)),
            ("cased", bert(handle_chinese_chars=False, lowercase=False, strip_accents=True), {"max_input_chars_per_word": 7}, None)):
        pieces, _ = train(pre_tokenizers.BertPreTokenizer(), 150, normalizers.BertNormalizer(lowercase=normalizer["lowercase"]), alphabet=False)
        tokens = dict.fromkeys([*names, *pieces, *("##" + piece for piece in pieces)])
        model = {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 100,
                 "vocab": {token: i for i, token in enumerate(tokens)}}
        save(name, {**model, **more}, [added(n, i) for i, n in enumerate(names)], decoder, normalizer=normalizer,
             pre=plain("BertPreTokenizer"), post=plain("BertProcessing", sep=["[SEP]", 3], cls=["[CLS]", 2]))


# Templates of one idea each; what Jinja makes of them with VARIABLES goes to templates.json.
VARIABLES = {"n": 3, "x": -7, "f": 2.5, "s": "  a b\u00a0", "e": "", "l": [1, 2, 3], "m": {"a": 1, "b": [True, None]}, "u": "\u00e9\u20acz",
             "ms": [{"role": "user", "content": "Q", "n": 1}, {"role": "assistant", "content": "A", "n": 2}, {"role": "user", "content": "b", "n": 3,
                    "tool": {"name": "t"}}]}
TEMPLATES = [
    "a\n{% if n %}\nb\n{% endif %}\nc\n", "a  {% if n %}  b{% endif %}", "  {% if n %}\n  x\n  {% endif %}\n", "{{ n }}\n{{ n }}\n\n",
    "a \n {%- if n -%} \n b \n {%- endif %} \n c", "  {%+ if n %}x{% endif +%}\ny", "{# c #}\nx {#- c -#}  y\n  {# c #}\nz", "a\r\nb\rc\n",
    "{{- n -}}  x  {{- n }}\n", "{% for i in l %}{{ i }}{% if not loop.last %}, {% endif %}{% endfor %}", "{% for i in l if i > 1 %}{{ loop.index }}:{{ i }} {% endfor %}",
    "{% for i in [] %}x{% else %}none{% endfor %}", "{% for k, v in m.items() %}{{ k }}={{ v | tojson }};{% endfor %}", "{% for c in u %}{{ c }}-{% endfor %}",
    "{% set q = 1 %}{% for i in l %}{% set q = i %}{% endfor %}{{ q }}", "{% set ns = namespace(q=1) %}{% for i in l %}{% set ns.q = ns.q + i %}{% endfor %}{{ ns.q }}",
    "{% set q %}text {{ n }}{% endset %}[{{ q }}]", "{% set a, b = 1, 'z' %}{{ a }}{{ b }}", "{{ 1 + 2 * 3 - 4 // 3 }} {{ x // 2 }} {{ x % 3 }} {{ 7 / 2 }} {{ n * f }}",
    "{{ 'a' + 'b' | upper ~ n }}", "{{ -n + 1 }} {{ -f }} {{ 1e3 if false else 1.5e-3 }}", "{{ n == 3 }} {{ n != 3.0 }} {{ 'a' < 'b' }} {{ [1, 2] == l[:2] }} {{ none }}",
    "{{ 'a' in s }} {{ 1 in l }} {{ 'a' in m }} {{ 4 not in l }} {{ not n in l }}", "{{ s | trim }}|{{ s.strip() }}|{{ s.lstrip() }}|{{ 'xxaxx'.strip('x') }}|{{ 'ab'.rstrip('b') }}",
    "{{ u[0] }}{{ u[-1] }}{{ u[1:] }}{{ u[::-1] }}{{ l[1:] | tojson }}{{ l[::-1] | tojson }}{{ l[-2:] | length }}{{ l[5:] | length }}{{ l[:-1] | join('+') }}",
    "{{ m['a'] }}{{ m.a }}{{ m.zz }}{{ m['zz'] is defined }}{{ zz is undefined }}{{ l[9] is defined }}", "{{ m.get('a') }}{{ m.get('q', 5) }}{{ m.keys() | list | join }}{{ m.values() | list | length }}",
    "{{ zz | default('d') }}{{ e | default('d') }}{{ e | default('d', true) }}{{ l | first }}{{ l | last }}{{ u | length }}{{ m | length }}",
    "{{ 'a-b-c'.split('-') | join('.') }} {{ ' a  b '.split() | join('.') }} {{ 'a-b-c'.split('-', 1) | last }} {{ 'aXbX'.replace('X', '') }}",
    "{{ n is string }}{{ s is string }}{{ m is mapping }}{{ l is iterable }}{{ n is number }}{{ none is none }}{{ true is boolean }}{{ l is sequence }}{{ n is equalto(3) }}",
    "{{ s is not string }}{{ n if n > 5 else 'small' }}{{ 'x' if false }}{{ n and e }}{{ e or 'else' }}", "{{ m | tojson }} {{ u | tojson }} {{ 0.1 | tojson }} {{ m | tojson(indent=2) }}",
    "{{ 'abc'.startswith('ab') }}{{ 'abc'.endswith('bc') }}{{ 'abc' | upper }}{{ 'ABC'.lower() }}{{ 'aBC' | capitalize }}", "{{ {'a': 1, 'b': {}} | tojson }} {{ (1, 2) | tojson }} {{ ['a' 'b'] | tojson }}",
    "{% for i in range(3) %}{{ i }}{% endfor %}{% for i in range(1, 3) %}{{ i }}{% endfor %}", "{% for a in l %}{% for b in l %}{{ loop.index0 }}{% endfor %}{{ loop.revindex }}{% endfor %}",
    "{% if n > 5 %}a{% elif n > 2 %}b{% else %}c{% endif %}", "{{ 'it''s' }} {{ \"q'q\" }} {{ 'a\\'b\\n' }}", "{{ n }}{# {{ x }} #}{{ '{%' }}{{ '}}' }}", "{ {{ n }} } { % x % }",
    "{% for i in l %}{{ loop.previtem }}{{ loop.nextitem }};{% endfor %}", "{{ 10000000000000000.0 }} {{ 0.00001 }} {{ 123456.75 }}",
    # Filters and tests of lists.
    "{{ ms | selectattr('role', 'equalto', 'user') | list | length }}{{ (ms | selectattr('role', 'equalto', 'user') | first).content }}",
    "{% for m in ms | rejectattr('role', 'in', ['user', 'tool']) %}{{ m.content }};{% endfor %}{{ ms | selectattr('tool') | list | length }}",
    "{{ ms | map(attribute='content') | join('|') }} {{ ms | map(attribute='tool.name', default='none') | list | tojson }} {{ l | map('string') | join }}",
    "{{ ['b', 'A', 'c'] | map('upper') | list }} {{ l | select('odd') | list }} {{ l | reject('equalto', 2) | list }} {{ ['', 'x'] | select | list }}",
    "{{ ['b', 'A', 'c'] | sort | join }} {{ ['b', 'A', 'c'] | sort(reverse=true, case_sensitive=true) | join }} {{ ms | sort(attribute='content') | map(attribute='content') | join }}",
    "{% for k, v in {'b': 1, 'A': 2, 'c': 0} | dictsort %}{{ k }}{{ v }} {% endfor %}{{ {'b': 1, 'A': 2} | dictsort(by='value', reverse=true) }}",
    "{{ ['a', 'A', 'b', 'a'] | unique | list }} {{ [3, 1, 2] | min }}{{ [3, 1, 2] | max }}{{ l | sum }} {{ [1, 2.5] | sum }} {{ ms | sum(attribute='n') }}",
    "{{ l | reverse | list }} {{ 'abc' | reverse }} {{ 'abc' | list }} {{ m | list }} {{ 'abc' | first }}{{ 'abc' | last }} {{ l | join(', ') }}",
    "{{ 3 is odd }}{{ 3 is even }}{{ 9 is divisibleby 3 }}{{ 9 is divisibleby(2) }}{{ 2 is in l }}{{ 2 is in([1]) }}{{ 2 is gt 1 }}{{ 2 is lt(1) }}{{ 1 is ne 2 }}{{ 'ab' is lower }}",
    "{{ none is sameas none }}{{ range is callable }}{{ strftime_now is defined }}{{ raise_exception is defined }}{{ nothing is callable }}{{ n is not in l }}",
    # Numbers, texts, slices.
    "{{ 2 ** 3 }} {{ 2 ** 3 ** 2 }} {{ -2 ** 2 }} {{ 2 ** -1 }} {{ 2.0 ** 3 }} {{ 2 * 3 ** 2 }} {{ +n }} {{ 7.5 // 2 }} {{ -7.5 % 2 }} {{ 'ab' * 3 }}{{ 2 * '-' }}",
    "{{ '12' | int + 1 }} {{ 'x' | int }} {{ 'x' | int(7) }} {{ 3.9 | int }} {{ '2.5' | float }} {{ 2.567 | round(2) }} {{ 2.5 | round }} {{ 2.1 | round(method='ceil') }} {{ -3 | abs }}",
    "{{ l[::2] }} {{ u[::2] }} {{ [1, 2, 3, 4, 5][1:5:2] }} {{ [1, 2, 3, 4, 5][::-2] }} {{ range(0, 10, 3) | list }} {{ range(3, 0, -1) | list }}",
    "{{ 'hello world-x' | title }} {{ 'a\nb\n\nc' | indent }} {{ 'a\nb' | indent(2, true) }} {{ 'a\nb' | indent('> ') }} {{ 'aXbXc'.replace('X', '-', 1) }}",
    "{{ 'a.b.c'.rsplit('.', 1) }} {{ 'a\nb\r\nc'.splitlines() }} {{ 'abc'.find('c') }}{{ 'abc'.find('x') }} {{ 'abab'.count('ab') }} {{ '-'.join(['a', 'b']) }}",
    "{{ 'tool_x'.removeprefix('tool_') }} {{ 'x.py'.removesuffix('.py') }} {{ '12'.isdigit() }}{{ 'ab'.isalpha() }}{{ ''.isdigit() }} {{ 'abc'.startswith(('x', 'a')) }} {{ '\u00c9A'.lower() }}",
    "{{ l.index(2) }}{{ l.count(3) }} {{ m.copy() }} {{ 'caf\u00e9 \u732b \x41 \q' }} {{ m.get('zz') }} {{ dict(a=1, b='x') }}",
    "{{ 1 < 2 < 3 }}{{ 1 < 3 < 2 }}{{ 0 <= n <= 3 == n }}{{ 'a' in 'ab' in ['ab'] }}{{ 1 in l not in [2] }}{{ 5 < n < zz.a }}{{ (1 < 2) == true }}{{ not 1 < 2 <= 2 }}",
    # Lists and mappings as texts.
    "{{ m }} {{ l }} {{ ['it\\'s', \"q'\\\"\", '\\n\\t\\\\', none, true, 1.0] }} {{ {'a': {'b': []}} }} {{ [1] ~ 'x' }} {{ m | string }} {{ {'a': 1}['a'] }}",
    "{{ m | tojson(indent=2) }} {{ m | tojson(separators=(',', ':')) }} {{ {'b': 1, 'a': 2} | tojson(sort_keys=true) }} {{ [] | tojson(indent=2) }}",
    # Macros, generation, loop controls.
    "{% macro f(a, b='-', c=none) %}[{{ a }}{{ b }}{{ c }}]{% endmacro %}{{ f(1) }}{{ f(1, 2) }}{{ f(c=3, a=1) }}{{ f() }}{{ f(1) | length }}",
    "{% macro kind(t) -%}\n  {%- if t.list is defined %}list<{{ kind(t.list) }}>{% else %}{{ t.name }}{% endif -%}\n{%- endmacro %}{{ kind({'list': {'list': {'name': 'int'}}}) }}",
    "{% set x = 1 %}{% macro g() %}{{ x }}{{ y }}{% set x = 5 %}{{ x }}{% endmacro %}{% for y in l %}{{ g() }}{% endfor %}{% set x = 2 %}{{ g() }}{{ x }}",
    "{% set ns = namespace(c=0) %}{% macro count() %}{% set ns.c = ns.c + 1 %}{% endmacro %}{{ count() }}{{ count() }}{{ ns.c }}{% endmacro_name if false else '' %}"[:-len("{% endmacro_name if false else '' %}")],
    "{% for i in [1, 2, 3, 4] %}{% if i == 2 %}{% continue %}{% endif %}{% if i == 4 %}{% break %}{% endif %}{{ i }}{% else %}never{% endfor %}",
    "{% for m in ms %}{% if m.role == 'assistant' %}{% generation %}{{ m.content }}{% set q = 1 %}{% endgeneration %}{{ q }}{% else %}({{ m.content }}){% endif %}{% endfor %}",
    "a\n{% generation %}\nb\n{% endgeneration %}\nc", "{%- macro h(x) %}\n  {{ x }}\n{% endmacro %}\n{{ h('y') }}|", "{{ {1: 'one'}[1] }} {{ 1 in {1: 2} }} {{ zz | items | list }}",
    # Calls with a body, scopes, filters of blocks, text as it stands.
    "{% macro box(t, b='-') %}[{{ t }}:{{ caller() }}{{ b }}]{% endmacro %}{% call box('q') %}plain {{ n }}{% endcall %}{% call box(1, b=2) %}\n  x\n{% endcall %}",
    "{% macro each(items) %}{% for i in items %}<{{ caller(i, b=loop.index) }}>{% endfor %}{% endmacro %}{% set x = 9 %}{% call(a, b, c='z') each(l) %}{{ a }}{{ b }}{{ c }}{{ x }}{% endcall %}",
    "{% macro inner() %}({{ caller() }}){% endmacro %}{% macro outer() %}{% set c = caller() %}{% call inner() %}{{ c }}{{ caller is defined }}!{% endcall %}{% endmacro %}{% call outer() %}deep{% endcall %}",
    "{% set a = 1 %}{% with a=2, b=a %}{{ a }}{{ b }}{% set c = 3 %}{{ c }}{% endwith %}{{ a }}{{ b }}{{ c }}{% with %}{{ n }}{% endwith %}",
    "{% for i in l %}{% with k=i %}{% if k == 2 %}{% break %}{% endif %}{{ k }}{% endwith %}{% endfor %}",
    "{% filter upper | replace('A', '-') %}a b {{ 'a' }}{% endfilter %}{% set q | trim | length %}  ab {% endset %}{{ q }}{% set q %}{% set z = 1 %}{{ z }}{% endset %}{{ q }}{{ z }}",
    "a\n  {% raw %}\n{{ x }} {% if %}{# c #}\n  {% endraw %}\nb{% raw -%}  {% x {%- endraw -%}  c", "{% for r in ['a', 'b', 'c'] %}{{ loop.cycle('x', 'y') }}{{ loop.depth }}{% endfor %}",
    # Iterators are true, and gone through once.
    "{{ 'y' if ms | selectattr('role', 'equalto', 'zz') else 'n' }}{% set g = l | map('string') %}{{ g | first }}{{ g | join('-') }}{{ g | join('-') }}{% for i in g %}{{ i }}{% endfor %}",
    "{{ false | map('upper') | list }}{{ none | select | list }}{{ none[1:] }}{{ (1, 2, 3)[1:] }}{{ l * 2 }}{{ range(1, 7, 2) }}{{ l[true] }}{{ 'abc'[:true] }}",
    # Cases, numbers, empty strings.
    "{{ 'stra\u00dfe \u00e9\u01c6' | upper }} {{ '\u01c6A\ufb01' | capitalize }} {{ '\u00e9LAN vital' | title }} {{ \"it's a-b (c\" | title }} {{ \"it's a-b (c \u00e9t\u00e9\".title() }}",
    "{{ 2.675 | round(2) }} {{ 0.125 | round(2) }} {{ 7 | round }} {{ 1234 | round(-2) }} {{ 7 | round(1, 'floor') }} {{ 3.0 is odd }}{{ 4.5 is divisibleby 2 }}{{ -3 is odd }}",
    "{{ 'ab' | replace('', '-') }} {{ 'ab'.replace('', '-', 2) }} {{ 'a' | replace('a', zz) }}| {{ l | join(1) }} {{ [[1, {}], [1, {}]] | sort | length }}",
]


def templates():
    cases = [[text, environment().from_string(text).render(**VARIABLES)] for text in TEMPLATES]
    with open(os.path.join(HERE, "templates.json"), "w", encoding="ascii") as file:
        file.write(json.dumps({"variables": VARIABLES})[:-1] + ', "cases": [\n' + ",\n".join(json.dumps(c) for c in cases) + "]}\n")


def main():
    templates()
    more_kinds()
    more_models()
    names = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
    vocab, merges = train(pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=True),
                                                   pre_tokenizers.ByteLevel(add_prefix_space=False)]), 420, specials=names)
    for spelling in ("\u0122", "\u0120\u0120x"):  # as in SmolLM, not every byte has a token
        vocab.pop(spelling, None)
    merges = [m for m in merges if m[0] in vocab and m[1] in vocab and "".join(m) in vocab]
    write("smollm", vocab, merges, [added(n, i) for i, n in enumerate(names)], SMOLLM_CHAT,
          pre={"type": "Sequence", "pretokenizers": [{"type": "Digits", "individual_digits": True}, byte_level(True)]})

    vocab, _ = train(regex_bytes(LLAMA3), 420)
    all_splits = sorted((vocab[t], t[:i], t[i:]) for t in vocab for i in range(1, len(t)) if t[:i] in vocab and t[i:] in vocab)
    for word in ("Hippopotamus", "\u0120zyzzyva"):
        vocab[word] = len(vocab)
    names = ["<|begin_of_text|>", "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>"]
    base = len(vocab)
    write("llama3", vocab, [m[1:] for m in all_splits], [added(n, base + i) for i, n in enumerate(names)], LLAMA3_CHAT, names[0],
          pre={"type": "Sequence", "pretokenizers": [split(LLAMA3), byte_level(False)]},
          post={"type": "Sequence", "processors": [byte_level(True), template(names[0], base)]}, ignore_merges=True)

    vocab, merges = train(regex_bytes(QWEN2), 420, normalizers.NFC())
    base = len(vocab)
    names = [("<|endoftext|>", True), ("<|im_start|>", True), ("<|im_end|>", True), ("<think>", False), ("</think>", False)]
    write("qwen", vocab, merges, [added(n, base + i, s) for i, (n, s) in enumerate(names)], QWEN_CHAT, normalizer={"type": "NFC"},
          pre={"type": "Sequence", "pretokenizers": [split(QWEN2), byte_level(False)]}, post=byte_level(False), decoder=byte_level(False),
          pairs=True, continuing_subword_prefix="", end_of_word_suffix="")

    specials = ["<pad>", "<eos>", "<bos>", "<unk>", "<start_of_turn>", "<end_of_turn>"]
    plain = ["\n", "\n\n", "\n\n\n", "\u2581\u2581", "\u2581\u2581\u2581", "<table>"]
    pieces, merges = train(pre_tokenizers.Split("\n", behavior="removed"), 200, normalizers.Replace(" ", "\u2581"), alphabet=False)
    vocab = {t: i for i, t in enumerate(specials + plain + [f"<0x{b:02X}>" for b in range(256)])}
    for piece in pieces:
        vocab.setdefault(piece, len(vocab))
    fallback = [{"type": "Replace", "pattern": {"String": "\u2581"}, "content": " "}, {"type": "ByteFallback"}, {"type": "Fuse"}]
    write("gemma", vocab, merges, [added(t, vocab[t], t in specials) for t in specials + plain], GEMMA_CHAT, "<bos>",
          normalizer={"type": "Replace", "pattern": {"String": " "}, "content": "\u2581"},
          pre={"type": "Split", "pattern": {"String": " "}, "behavior": "MergedWithPrevious", "invert": False},
          post=template("<bos>", 2), decoder={"type": "Sequence", "decoders": fallback}, pairs=True, unk_token="<unk>", fuse_unk=True,
          byte_fallback=True)

    # Each flag of added tokens, a text begun by a prefix that decoding strips, unknown characters without byte tokens.
    base = len(pieces) + 1
    vocab = {**pieces, "<unk>": len(pieces)}
    flags = [added("<mask>", base, lstrip=True), added("<left>", base + 1, lstrip=True, rstrip=True), added("<right>", base + 2, rstrip=True),
             added("word", base + 3, False, single_word=True), added("B\u00e4r", base + 4, False, normalized=True),
             added("two words", base + 5, False, normalized=True), added("<|x y|>", base + 6), added("<s>", base + 7)]
    write("flags", vocab, merges, flags, normalizer={"type": "Sequence", "normalizers": [
              {"type": "NFC"}, {"type": "Prepend", "prepend": "\u2581"}, {"type": "Replace", "pattern": {"String": " "}, "content": "\u2581"}]},
          post=template("<s>", base + 7), decoder={"type": "Sequence", "decoders": [fallback[0], fallback[2],
                                                    {"type": "Strip", "content": " ", "start": 1, "stop": 0}]}, unk_token="<unk>")


main()
