"""train/*, infer/*, cnn16/*, dlbench/*: training steps, inference of one sample, large convolutional networks.

One step: opt.zero_grad() (to None), forward, cross entropy (mean), backward, opt.step(), on one fixed batch that lies on the
device: images are normal, labels and tokens uniform.

train/   mlp 784-512-512-10, ReLU, batch 128 (mlp_b8: 8), Adam 1e-3. lenet5 batch 128, SGD 0.01, momentum 0.9. resnet18_cifar
         3x3 stem, batch 64, SGD 0.1, momentum 0.9, weight decay 5e-4. char_lstm two layers of 256, batch 32, 64 steps, Adam 2e-3.
         char_gpt width 192, 6 blocks, 6 heads, batch 16, context 128, AdamW 3e-4, betas 0.9 and 0.95, weight decay 0.1.
         resnet18_cifar_bf16 and char_gpt_bf16: forward and loss in autocast's bfloat16.
infer/   one sample, eval(), no gradients.
cnn16/   torchvision's models (PyTorch's defaults, training mode) on 16 images of 3 x 224 x 224: forward, then backward to the
         parameters and the images from normal gradients of the 1,000 logits, as https://github.com/jcjohnson/cnn-benchmarks does.
         A call takes seconds: one untimed, then at least two.
dlbench/ the networks of https://github.com/hclhkbu/dlbench (tools/torch), each with SGD. None of them depends on the data, which are
         generated. Momentum is 0.9 and weight decay 1e-4 where not said.
         fcn5_mnist      784-2048-4096-1024-10, sigmoid; batch 4096 of 1 x 28 x 28; lr 0.05
         alexnet_cifar10 conv 5x5 3-32, max pool 3/2, ReLU; conv 5x5 32-32, ReLU, max pool 3/2; conv 5x5 32-64, ReLU, average pool
                         3/2; Linear(576, 10); batch 1024 of 3 x 32 x 32; lr 0.01
         resnet56_cifar10 conv 3x3 3-16 and batch norm, three stages of nine blocks with 16, 32, 64 channels (shortcuts without
                         parameters), mean over positions, Linear(64, 10); batch 128 of 3 x 32 x 32; lr 0.01
         lstm_ptb        embedding 10,000 x 256, LSTM of two layers of 256, Linear(256, 10000); batch 128, 32 steps; lr 0.1, no
                         momentum or weight decay; the gradients' norm is clipped at 5
"""
import torch
import torch.nn.functional as F

from . import measure, models
from .measure import integers, randn


def images(*shape):
    return lambda: (randn(*shape), integers(10, shape[0]))


def text(vocabulary, batch, steps):
    return lambda: (integers(vocabulary, batch, steps), integers(vocabulary, batch, steps))


def step_of(make_model, batch, optimizer, clip, bf16, variant):
    measure.seed()
    model = make_model().to(measure.device)
    opt = optimizer(model.parameters())
    x, y = batch()
    labels = y.view(-1)
    net = torch.compile(model) if variant == 'compile' else model

    def step():
        opt.zero_grad()
        with torch.autocast(x.device.type, torch.bfloat16, enabled=bf16):
            z = net(x)
            loss = F.cross_entropy(z.view(-1, z.shape[-1]), labels)
        loss.backward()
        if clip:
            torch.nn.utils.clip_grad_norm_(model.parameters(), clip)
        opt.step()
    return step


def training(name, unit, work, make_model, batch, optimizer, clip=None, bf16=False, variants=('eager', 'compile'), **fields):
    for variant in variants:
        measure.add(name, unit, work, lambda variant=variant: step_of(make_model, batch, optimizer, clip, bf16, variant), kind='steps',
                    variant=variant, **fields)


def optimizer(cls, **settings):
    return lambda parameters: getattr(torch.optim, cls)(parameters, **settings)


def steps():
    training('train/mlp', 'samples/s', 128, models.mlp, images(128, 784), optimizer('Adam', lr=1e-3))
    training('train/mlp_b8', 'samples/s', 8, models.mlp, images(8, 784), optimizer('Adam', lr=1e-3))
    training('train/lenet5', 'samples/s', 128, models.lenet5, images(128, 1, 28, 28), optimizer('SGD', lr=0.01, momentum=0.9))
    training('train/char_lstm', 'tokens/s', 32 * 64, models.char_lstm, text(65, 32, 64), optimizer('Adam', lr=2e-3))
    for suffix, bf16 in ('', False), ('_bf16', True):
        training('train/resnet18_cifar' + suffix, 'samples/s', 64, models.resnet18_cifar, images(64, 3, 32, 32),
                 optimizer('SGD', lr=0.1, momentum=0.9, weight_decay=5e-4), bf16=bf16, at_least=3)
        training('train/char_gpt' + suffix, 'tokens/s', 16 * 128, models.char_gpt, text(65, 16, 128),
                 optimizer('AdamW', lr=3e-4, betas=(0.9, 0.95), weight_decay=0.1), bf16=bf16)


def inference():
    def add(name, *shape):
        def make():
            measure.seed()
            model, x = getattr(models, name)().to(measure.device).eval(), randn(*shape)
            return measure.without_gradients(lambda: model(x))
        measure.add(f'infer/{name}_b1', 'us/step', 1, make, kind='steps')
    add('mlp', 1, 784)
    add('lenet5', 1, 1, 28, 28)
    add('resnet18_cifar', 1, 3, 32, 32)


def cnn16():
    def add(name):
        def make():
            import torchvision
            measure.seed()
            model, x = getattr(torchvision.models, name)(weights=None).to(measure.device), randn(16, 3, 224, 224, grad=True)
            return measure.forward_backward(lambda: model(x), [x, *model.parameters()], randn(16, 1000))
        measure.add('cnn16/' + name, 'ms', 1, make, kind='steps', slow=True)
    for name in ('alexnet', 'vgg16', 'vgg19', 'resnet18', 'resnet34', 'resnet50', 'resnet101', 'resnet152'):
        add(name)


def dlbench():
    settings = dict(momentum=0.9, weight_decay=1e-4)

    def add(name, unit, work, make_model, batch, optimizer, **fields):
        training('dlbench/' + name, unit, work, make_model, batch, optimizer, variants=('eager',), at_least=3, **fields)
    add('fcn5_mnist', 'samples/s', 4096, models.fcn5, images(4096, 1, 28, 28), optimizer('SGD', lr=0.05, **settings))
    add('alexnet_cifar10', 'samples/s', 1024, models.alexnet_cifar, images(1024, 3, 32, 32), optimizer('SGD', lr=0.01, **settings))
    add('resnet56_cifar10', 'samples/s', 128, models.resnet56_cifar, images(128, 3, 32, 32), optimizer('SGD', lr=0.01, **settings))
    add('lstm_ptb', 'tokens/s', 128 * 32, models.lstm_words, text(10000, 128, 32), optimizer('SGD', lr=0.1), clip=5)
